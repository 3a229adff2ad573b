/* Distances from vertex 0 of a directed graph, level by level. Every vertex without a distance
 * checks the sources of its edges, and stops at the first that the last level reached. */

#include "weft.h"

#define VERTICES 96
#define MOST_EDGES 4
#define UNREACHED 0xffffffff

static WEFT_ALIGNED WEFT_HOST uint32_t distance[VERTICES];
static WEFT_ALIGNED WEFT_HOST uint32_t edges[VERTICES];              /* number of incoming edges */
static WEFT_ALIGNED WEFT_HOST uint32_t source[MOST_EDGES][VERTICES]; /* their source vertices */
static WEFT_ALIGNED WEFT_HOST uint32_t grown[VERTICES + 1];          /* whether a level reached a new vertex */

static uint32_t wrap(uint32_t vertex) { return vertex < VERTICES ? vertex : vertex - VERTICES; }

/* One to four edges lead to a vertex. The last comes from the vertex of half its number, so all
 * can be reached. */
static void make_vertex(uint32_t vertex)
{
    distance[vertex] = vertex == 0 ? 0 : UNREACHED;
    edges[vertex] = 1 + vertex % MOST_EDGES;
    for (uint32_t k = 0; k < MOST_EDGES; k++)
        source[k][vertex] = k == vertex % MOST_EDGES ? vertex / 2 : wrap(vertex + 5 + 13 * k);
}

int main(unsigned hart)
{
    const unsigned threads = weft_threads();

    for (unsigned vertex = hart; vertex < VERTICES; vertex += threads)
        make_vertex(vertex);
    weft_barrier();

    uint32_t level = 0;
    do {
        for (unsigned vertex = hart; vertex < VERTICES; vertex += threads) {
            if (distance[vertex] != UNREACHED)
                continue;
            uint32_t k = 0;
            do {
                if (distance[source[k][vertex]] == level) {
                    distance[vertex] = level + 1;
                    grown[level] = 1;
                    break;
                }
                k++;
            } while (k < edges[vertex]);
        }
        weft_barrier();
    } while (grown[level++]);

    /* A vertex is one further than the nearest source of its edges. Only the correct distances
     * have that property everywhere. */
    uint32_t wrong = distance[0];
    for (unsigned vertex = hart; vertex < VERTICES; vertex += threads) {
        uint32_t nearest = UNREACHED;
        for (uint32_t k = 0; k < MOST_EDGES; k++) {
            uint32_t other = distance[source[k][vertex]] | -(uint32_t)(k >= edges[vertex]);
            uint32_t nearer = -(uint32_t)(other < nearest);
            nearest = (other & nearer) | (nearest & ~nearer);
        }
        wrong |= (distance[vertex] ^ (nearest + 1)) & -(uint32_t)(vertex != 0);
    }
    return wrong != 0;
}
