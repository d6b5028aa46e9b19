//! sum, avg, min and max of the values of an expression (F&O 3.1 §14.4).

use super::arithmetic::{applied, Operator};
use super::atom::Atom;
use super::comparison::value_holds;
use super::evaluation::Evaluation;
use super::functions::Aggregate;
use super::Expression;
use crate::plan::Comparison;
use crate::template::Undecided;

/// An aggregate; None where there is no value, but for the sum, which is 0.
pub fn aggregated<'a>(
    evaluation: &Evaluation<'a, '_>,
    aggregate: Aggregate,
    values: &'a Expression,
) -> Result<Option<Atom<'a>>, Undecided> {
    match aggregate {
        Aggregate::Sum => Ok(Some(total(evaluation, values)?.0.unwrap_or(Atom::Integer(0)))),
        Aggregate::Average => match total(evaluation, values)? {
            (Some(total), number) => applied(Operator::Divide, &total, &Atom::Integer(number)).map(Some),
            _ => Ok(None),
        },
        Aggregate::Least => extreme(evaluation, values, Comparison::Less),
        Aggregate::Greatest => extreme(evaluation, values, Comparison::Greater),
    }
}

fn total<'a>(
    evaluation: &Evaluation<'a, '_>,
    values: &'a Expression,
) -> Result<(Option<Atom<'static>>, i64), Undecided> {
    let (mut total, mut number) = (None, 0);
    evaluation.each(values, &mut |atom| {
        let next = atom.number()?;
        number += 1;
        // The first value itself, and not added to zero, which would lose its type and its sign.
        total = Some(match &total {
            None => next,
            Some(total) => applied(Operator::Add, total, &next)?,
        });
        Ok(())
    })?;
    Ok((total, number))
}

fn extreme<'a>(
    evaluation: &Evaluation<'a, '_>,
    values: &'a Expression,
    better: Comparison,
) -> Result<Option<Atom<'a>>, Undecided> {
    let mut best: Option<Atom<'a>> = None;
    let mut is_nan = false;
    evaluation.each(values, &mut |atom| {
        let next = match atom {
            Atom::Untyped(_) => atom.number()?,
            other => other,
        };
        let is_better = match &best {
            None => true,
            // Values of several numeric types are told in the common one.
            Some(best) if std::mem::discriminant(best) != std::mem::discriminant(&next) => return Err(Undecided),
            Some(Atom::Double(found)) if found.is_nan() => true,
            Some(best) => value_holds(better, &next, best)?,
        };
        is_nan |= matches!(next, Atom::Double(number) if number.is_nan());
        if is_better {
            best = Some(next);
        }
        Ok(())
    })?;
    Ok(if is_nan { Some(Atom::Double(f64::NAN)) } else { best })
}
