use super::*;

#[test]
fn what_is_not_taken_stays() {
    let mut offer = Offer::default();
    for (now, taken, stays) in [
        (None, true, true),
        (Some(17), false, true),
        (Some(17), false, true),
        (Some(17), true, true),
        (Some(18), true, true),
        (None, false, true),
        (Some(19), false, true),
        (Some(20), true, false),
        (None, true, false),
    ] {
        assert_eq!(offer.check("port", now.as_ref(), taken).is_ok(), stays, "{now:?}");
    }
    let violation = offer.check("port", Some(&20), true).unwrap_err();
    assert_eq!(violation.expected, "still 13, which was not taken");
    assert_eq!(violation.actual, "14");
}
