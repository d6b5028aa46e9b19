//! Aggregates of the one open window: only a running value is kept.

use super::{Folding, Query, Slot};
use crate::expression::{applied_average, Aggregate, Atom, Fold};

/// One aggregate.
#[derive(Clone, Debug)]
pub struct Running<O> {
    fold: Fold<'static>,
    /// Set when the query has taken over.
    object: Option<O>,
    /// Its error.
    failure: Option<O>,
}

impl<O: Clone> Default for Running<O> {
    fn default() -> Self {
        Running { fold: Fold::default(), object: None, failure: None }
    }
}

impl<O: Clone> Running<O> {
    /// The values of the next row.
    pub fn add<Q: Query<Object = O>>(
        &mut self,
        number: usize,
        folding: Folding,
        values: Result<Vec<Slot<O>>, O>,
        query: &mut Q,
    ) {
        let values = match values {
            _ if self.failure.is_some() => return,
            Ok(values) => values,
            Err(failure) => {
                self.failure = Some(failure);
                return;
            }
        };
        let Folding::Of(aggregate) = folding else {
            self.fold.count += values.len() as i64;
            return;
        };
        let mut rest = values.into_iter();
        if self.object.is_none() {
            for value in rest.by_ref() {
                if let Slot::Atom(atom) = &value {
                    if self.fold.add(aggregate, atom.clone()).is_ok() {
                        continue;
                    }
                }
                let so_far = self.fold.value().map(Slot::Atom);
                let object = query.begin(number, so_far, self.fold.count);
                self.failure = query.add(&object, vec![value]).err();
                self.object = Some(object);
                break;
            }
        }
        if let (Some(object), None) = (&self.object, &self.failure) {
            let rest: Vec<_> = rest.collect();
            if !rest.is_empty() {
                self.failure = query.add(object, rest).err();
            }
        }
    }

    /// Its result.
    pub fn result<Q: Query<Object = O>>(&self, number: usize, folding: Folding, query: &mut Q) -> Slot<O> {
        if let Some(failure) = &self.failure {
            return Slot::Object(failure.clone());
        }
        if let Some(object) = &self.object {
            return Slot::Object(query.result(object));
        }
        let Folding::Of(aggregate) = folding else { return Slot::Atom(Atom::Integer(self.fold.count)) };
        match (aggregate, self.fold.value()) {
            (Aggregate::Sum, None) => Slot::Atom(Atom::Integer(0)),
            (_, None) => Slot::Empty,
            (Aggregate::Average, Some(total)) => match applied_average(&total, self.fold.count) {
                Ok(average) => Slot::Atom(average),
                Err(_) => {
                    let object = query.begin(number, Some(Slot::Atom(total)), self.fold.count);
                    Slot::Object(query.result(&object))
                }
            },
            (_, Some(value)) => Slot::Atom(value),
        }
    }
}
