/* Distances from vertex 0 of a directed graph of 256 vertices in compressed rows, in one pass over the vertices for
 * each level (BFS of the GPGPU-Sim benchmarks). One vertex in sixteen has 17 edges, the others 1 to 4, and some
 * cannot be reached. The divergent branches: `if` the last pass reached the vertex, `if` a neighbour is new, both
 * without `else`; and loops of different lengths. Two vertices may store the same distance to a third one. */

#include "weft.h"

#define VERTICES 256
#define GROUP 16 /* vertices with 48 edges together */
#define EDGES (VERTICES / GROUP * 48)
#define UNREACHED 0xffffffff

static WEFT_ALIGNED WEFT_HOST uint32_t first_edge[VERTICES + 1];
static WEFT_ALIGNED WEFT_HOST uint32_t target[EDGES];
static WEFT_ALIGNED uint32_t grown[VERTICES]; /* whether a pass reached a new vertex */
WEFT_HOST WEFT_SIGNATURE(distance, VERTICES);

static uint32_t scatter(uint32_t x)
{
    x *= 0x9e3779b1;
    return x ^ x >> 15;
}

static __attribute__((noinline)) void visit_neighbours(uint32_t vertex, uint32_t level)
{
    const uint32_t end = first_edge[vertex + 1];
    uint32_t edge = first_edge[vertex];
    do {
        uint32_t other = target[edge];
        if (distance[other] > level) {
            distance[other] = level + 1;
            grown[level] = 1;
        }
        edge++;
    } while (edge < end);
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0xe799ec5b, 0xaa42514d, 0xf34d900c, 0x07cd9483,
        0x48410488, 0x26cd8fad, 0x097a2063, 0xb0af2ffa,
        0x49568045, 0xb7b79002, 0xf845fe4d, 0x43c1910f,
        0x5a29843d, 0xb736b05f, 0x787d8c51, 0xba3e2364,
    };
    static const uint32_t edges_before[GROUP] = {0, 17, 18, 20, 21, 24, 25, 27, 31, 32, 34, 35, 38, 40, 41, 45};
    const unsigned threads = weft_threads();

    for (unsigned vertex = hart; vertex <= VERTICES; vertex += threads)
        first_edge[vertex] = vertex / GROUP * 48 + edges_before[vertex % GROUP];
    for (unsigned edge = hart; edge < EDGES; edge += threads)
        target[edge] = scatter(edge) >> 8 & (VERTICES - 1);
    for (unsigned vertex = hart; vertex < VERTICES; vertex += threads)
        distance[vertex] = vertex == 0 ? 0 : UNREACHED;
    weft_barrier();

    uint32_t level = 0;
    do {
        for (unsigned vertex = hart; vertex < VERTICES; vertex += threads) {
            if (distance[vertex] == level)
                visit_neighbours(vertex, level);
        }
        weft_barrier();
    } while (grown[level++]);

    return weft_differ(distance, VERTICES, expected) != 0;
}
