use std::collections::VecDeque;

pub const VERTICES: usize = 128;

/// The target vertices of a vertex's edges.
pub fn targets(vertex: usize) -> impl Iterator<Item = usize> {
    (0..1 + (vertex ^ vertex >> 3) % 4).map(move |k| (vertex * (2 * k + 3) + 1 + 5 * k) % VERTICES)
}

/// The distance of each vertex from vertex 0, by a queue.
pub fn distances() -> Vec<u32> {
    let mut distance = vec![None; VERTICES];
    distance[0] = Some(0);
    let mut queue = VecDeque::from([0]);
    while let Some(vertex) = queue.pop_front() {
        for target in targets(vertex) {
            if distance[target].is_none() {
                distance[target] = distance[vertex].map(|distance: u32| distance + 1);
                queue.push_back(target);
            }
        }
    }
    distance.into_iter().map(|distance| distance.expect("an edge leads to every vertex")).collect()
}

pub fn results() -> Vec<u32> {
    distances()
}
