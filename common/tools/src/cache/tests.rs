use super::*;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

#[derive(Debug, thiserror::Error)]
enum TestError {
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error("compiler ended by signal")]
    Killed,
}

fn write_model(folder: &Path) -> Result<(), TestError> {
    fs::write(folder.join("model.so"), "whole").unwrap();
    Ok(())
}

fn read_model(folder: &Path) -> String {
    fs::read_to_string(folder.join("model.so")).unwrap()
}

#[test]
fn root_follows_the_variables_in_order() {
    let table: [(&[(&str, &str)], &str); 3] = [
        (&[("WEFT_CACHE", "/a"), ("XDG_CACHE_HOME", "/b"), ("HOME", "/c")], "/a"),
        (&[("XDG_CACHE_HOME", "/b"), ("HOME", "/c")], "/b/weft"),
        (&[("HOME", "/c")], "/c/.cache/weft"),
    ];
    for (variables, expected) in table {
        let lookup = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| PathBuf::from(v));
        assert_eq!(path_from(lookup), PathBuf::from(expected));
    }
}

#[test]
fn keys_depend_on_content_order_and_boundaries() {
    let keys = [Key::of(["ab", "c"]), Key::of(["a", "bc"]), Key::of(["c", "ab"]), Key::of(["abc"])];
    for (i, a) in keys.iter().enumerate() {
        assert!(keys.iter().skip(i + 1).all(|b| a != b));
    }
    assert_eq!(Key::of(["ab", "c"]), keys[0]);
}

#[test]
fn an_entry_is_built_once_and_kept() {
    let root = tempfile::tempdir().unwrap();
    let cache = Cache::at(root.path());
    let key = Key::of(["model"]);
    assert_eq!(cache.find("models", &key), None);
    let first = cache.entry("models", &key, write_model).unwrap();
    let second = cache.entry("models", &key, |_| -> Result<(), TestError> { panic!("built twice") }).unwrap();
    assert_eq!(first, second);
    assert_eq!(cache.find("models", &key), Some(first));
    assert_eq!(read_model(&second), "whole");
}

#[test]
fn a_replaced_entry_has_nothing_of_the_one_before() {
    let root = tempfile::tempdir().unwrap();
    let cache = Cache::at(root.path());
    let key = Key::of(["model"]);
    let write = |name: &'static str| {
        move |folder: &Path| {
            fs::write(folder.join(name), "").unwrap();
            Ok::<(), TestError>(())
        }
    };
    for name in ["first", "second"] {
        let folder = cache.replace("models", &key, write(name)).unwrap();
        let names: Vec<_> = children(&folder).unwrap();
        assert_eq!(names, [folder.join(name)]);
        assert_eq!(cache.find("models", &key), Some(folder));
    }
}

#[test]
fn builders_of_one_key_wait_for_the_first() {
    let root = tempfile::tempdir().unwrap();
    let cache = Cache::at(root.path());
    let builds = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let folder = cache.entry("models", &Key::of(["model"]), |folder| {
                    builds.fetch_add(1, Ordering::SeqCst);
                    fs::write(folder.join("model.so"), "wh").unwrap();
                    thread::sleep(Duration::from_millis(50));
                    write_model(folder)
                });
                assert_eq!(read_model(&folder.unwrap()), "whole");
            });
        }
    });
    assert_eq!(builds.load(Ordering::SeqCst), 1);
}

#[test]
fn a_failed_build_leaves_no_entry_and_the_next_one_succeeds() {
    let root = tempfile::tempdir().unwrap();
    let cache = Cache::at(root.path());
    let key = Key::of(["model"]);
    let failed = cache.entry("models", &key, |folder| {
        fs::write(folder.join("model.so"), "trunc").unwrap();
        Err(TestError::Killed)
    });
    assert!(matches!(failed, Err(TestError::Killed)));
    let left: Vec<_> = children(&root.path().join("models")).unwrap().into_iter().filter(|p| p.is_dir()).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(read_model(&cache.entry("models", &key, write_model).unwrap()), "whole");
}

#[test]
fn a_partial_entry_of_a_killed_process_is_rebuilt_and_never_seen() {
    let root = tempfile::tempdir().unwrap();
    let cache = Cache::at(root.path());
    let key = Key::of(["model"]);
    let partial = root.path().join("models").join(format!("{}.abcdef.partial", key.0));
    fs::create_dir_all(&partial).unwrap();
    fs::write(partial.join("model.so"), "trunc").unwrap();
    fs::write(partial.join("left-over.o"), "trunc").unwrap();
    let folder = cache.entry("models", &key, write_model).unwrap();
    assert_eq!(read_model(&folder), "whole");
    assert!(!folder.join("left-over.o").exists());
    assert!(!partial.exists());
}

#[test]
fn clean_counts_what_it_removes_and_spares_a_running_build() {
    let root = tempfile::tempdir().unwrap();
    let cache = Cache::at(root.path());
    cache.entry("models", &Key::of(["done"]), write_model).unwrap();
    cache
        .entry("models", &Key::of(["running"]), |folder| {
            write_model(folder)?;
            assert_eq!(cache.clean()?, Cleaned { entries: 1, bytes: 5, busy: 1 });
            Ok::<_, TestError>(())
        })
        .unwrap();
    assert_eq!(cache.clean().unwrap(), Cleaned { entries: 1, bytes: 5, busy: 0 });
    assert_eq!(cache.clean().unwrap(), Cleaned::default());
    assert_eq!(Cache::at(root.path().join("none")).clean().unwrap(), Cleaned::default());
}

#[test]
fn an_unwritable_root_is_one_error_that_names_it() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Cache::at(&file).entry("models", &Key::of(["model"]), write_model).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}", file.join("models").display())), "{error}");
    assert!(error.contains("WEFT_CACHE"), "{error}");
}
