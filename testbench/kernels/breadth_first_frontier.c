/* Distances from vertex 0 of a directed graph, level by level, outwards from a frontier (BFS of
 * Rodinia, figure 8 of the dual-path execution paper). The vertices of the frontier visit their
 * neighbours; the new ones form the next frontier. The divergent branches: `if` in the frontier,
 * `if` not visited before, `if` new, all without `else`; and a loop over one to four edges. */

#include "weft.h"

#define VERTICES 128
#define MOST_EDGES 4

static WEFT_ALIGNED WEFT_HOST uint32_t edges[VERTICES];              /* number of outgoing edges */
static WEFT_ALIGNED WEFT_HOST uint32_t target[MOST_EDGES][VERTICES]; /* their target vertices */
static WEFT_ALIGNED WEFT_HOST uint32_t frontier[VERTICES];
static WEFT_ALIGNED uint32_t found[VERTICES];
static WEFT_ALIGNED WEFT_HOST uint32_t visited[VERTICES];
static WEFT_ALIGNED WEFT_HOST uint32_t grown[VERTICES + 1]; /* whether a level found a new vertex */
WEFT_SIGNATURE(distance, VERTICES);

static void make_vertex(uint32_t vertex)
{
    edges[vertex] = 1 + (vertex ^ vertex >> 3) % MOST_EDGES;
    for (uint32_t k = 0; k < MOST_EDGES; k++)
        target[k][vertex] = (vertex * (2 * k + 3) + 1 + 5 * k) % VERTICES;
    frontier[vertex] = visited[vertex] = vertex == 0;
}

static __attribute__((noinline)) void visit_neighbours(uint32_t vertex, uint32_t level)
{
    uint32_t k = 0;
    do {
        uint32_t other = target[k][vertex];
        if (!visited[other]) {
            distance[other] = level;
            found[other] = 1;
        }
        k++;
    } while (k < edges[vertex]);
}

int main(unsigned hart)
{
    static const uint32_t expected[WEFT_DIGESTS] = {
        0xce4318e9, 0x50739d0f, 0x86639918, 0x4a8420d5,
        0x12631939, 0x8e6298ff, 0xca442146, 0xd0441cc0,
        0xc8430d30, 0x4a841d25, 0x4c639502, 0x0e5314da,
        0x4c5314d7, 0xcc33a100, 0x4c429d18, 0x0a731919,
    };
    const unsigned threads = weft_threads();

    for (unsigned vertex = hart; vertex < VERTICES; vertex += threads)
        make_vertex(vertex);
    weft_barrier();

    uint32_t level = 0;
    do {
        for (unsigned vertex = hart; vertex < VERTICES; vertex += threads) {
            if (frontier[vertex]) {
                frontier[vertex] = 0;
                visit_neighbours(vertex, level + 1);
            }
        }
        weft_barrier();
        for (unsigned vertex = hart; vertex < VERTICES; vertex += threads) {
            if (found[vertex]) {
                found[vertex] = 0;
                frontier[vertex] = 1;
                visited[vertex] = 1;
                grown[level] = 1;
            }
        }
        weft_barrier();
    } while (grown[level++]);

    return weft_differ(distance, VERTICES, expected) != 0;
}
