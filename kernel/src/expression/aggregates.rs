//! sum, avg, min and max of the values of an expression (F&O 3.1 §14.4).

use super::arithmetic::{applied, Operator};
use super::atom::Atom;
use super::comparison::value_holds;
use super::evaluation::Evaluation;
use super::functions::Aggregate;
use super::Expression;
use crate::plan::Comparison;
use crate::template::Undecided;

/// An aggregate in progress.
#[derive(Clone, Debug, Default)]
pub struct Fold<'a> {
    /// The number of values.
    pub count: i64,
    so_far: Option<Atom<'a>>,
    is_nan: bool,
}

impl<'a> Fold<'a> {
    /// Add a value.
    #[inline(always)]
    pub fn add(&mut self, aggregate: Aggregate, atom: Atom<'a>) -> Result<(), Undecided> {
        if !atom.is_plain() {
            return Err(Undecided);
        }
        self.add_any(aggregate, atom)
    }

    /// One more value, which may be of a type that tables and windows do not have.
    fn add_any(&mut self, aggregate: Aggregate, atom: Atom<'a>) -> Result<(), Undecided> {
        match aggregate {
            Aggregate::Sum | Aggregate::Average => match atom {
                Atom::Duration(time) => self.add_duration(time)?,
                other => self.add_number(other.number()?)?,
            },
            Aggregate::Least => self.compare(Comparison::Less, atom)?,
            Aggregate::Greatest => self.compare(Comparison::Greater, atom)?,
        }
        self.count += 1;
        Ok(())
    }

    fn add_duration(&mut self, next: i128) -> Result<(), Undecided> {
        let total = match self.so_far {
            None => Some(next),
            Some(Atom::Duration(so_far)) => so_far.checked_add(next).filter(|total| i64::try_from(*total).is_ok()),
            Some(_) => None,
        };
        self.so_far = Some(Atom::Duration(total.ok_or(Undecided)?));
        Ok(())
    }

    fn add_number(&mut self, next: Atom<'static>) -> Result<(), Undecided> {
        // The first value unchanged: adding it to zero would lose its type and its sign.
        self.so_far = Some(match &self.so_far {
            None => next,
            Some(so_far) => applied(Operator::Add, so_far, &next)?,
        });
        Ok(())
    }

    fn compare(&mut self, better: Comparison, atom: Atom<'a>) -> Result<(), Undecided> {
        let next = match atom {
            Atom::Untyped(_) => atom.number()?,
            other => other,
        };
        let is_better = match &self.so_far {
            None => true,
            // The result for several numeric types has their common type: Python computes it.
            Some(best) if std::mem::discriminant(best) != std::mem::discriminant(&next) => return Err(Undecided),
            Some(Atom::Double(found)) if found.is_nan() => true,
            Some(best) => value_holds(better, &next, best)?,
        };
        self.is_nan |= matches!(next, Atom::Double(number) if number.is_nan());
        if is_better {
            self.so_far = Some(next);
        }
        Ok(())
    }

    /// The sum, the smallest or the largest of the values; None if there are none.
    pub fn value(&self) -> Option<Atom<'a>> {
        if self.is_nan {
            Some(Atom::Double(f64::NAN))
        } else {
            self.so_far.clone()
        }
    }
}

/// An aggregate; None without values, except for the sum, which is 0.
pub fn aggregated<'a>(
    evaluation: &Evaluation<'a, '_>,
    aggregate: Aggregate,
    values: &'a Expression,
) -> Result<Option<Atom<'a>>, Undecided> {
    let mut fold = Fold::default();
    evaluation.each(values, &mut |atom| fold.add_any(aggregate, atom))?;
    match (aggregate, fold.value()) {
        (Aggregate::Sum, None) => Ok(Some(Atom::Integer(0))),
        (Aggregate::Average, Some(total)) => applied_average(&total, fold.count).map(Some),
        (_, value) => Ok(value),
    }
}

/// The average of a number of values, from their sum.
pub fn applied_average(total: &Atom<'_>, count: i64) -> Result<Atom<'static>, Undecided> {
    match total {
        Atom::Duration(time) if time % i128::from(count) == 0 => Ok(Atom::Duration(time / i128::from(count))),
        Atom::Duration(_) => Err(Undecided),
        _ => applied(Operator::Divide, total, &Atom::Integer(count)),
    }
}
