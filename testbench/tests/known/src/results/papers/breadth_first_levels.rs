use std::collections::VecDeque;

use super::super::scatter;

const VERTICES: usize = 256;

/// The number of edges of each vertex in a group of sixteen.
const EDGES: [u32; 16] = [17, 1, 2, 1, 3, 1, 2, 4, 1, 2, 1, 3, 2, 1, 4, 3];

fn targets() -> Vec<Vec<usize>> {
    let mut edges = (0..).map(|edge| (scatter(edge) >> 8) as usize % VERTICES);
    EDGES.iter().cycle().take(VERTICES).map(|number| edges.by_ref().take(*number as usize).collect()).collect()
}

/// The distance of each vertex from vertex 0, by a queue; all ones where there is none.
pub fn results() -> Vec<u32> {
    let targets = targets();
    let mut distance = vec![u32::MAX; VERTICES];
    distance[0] = 0;
    let mut queue = VecDeque::from([0]);
    while let Some(vertex) = queue.pop_front() {
        for &target in &targets[vertex] {
            if distance[target] == u32::MAX {
                distance[target] = distance[vertex] + 1;
                queue.push_back(target);
            }
        }
    }
    distance
}
