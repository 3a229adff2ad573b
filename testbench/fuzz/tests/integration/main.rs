mod campaign;
mod coverage;
mod faults;
mod planted;
mod reference;
