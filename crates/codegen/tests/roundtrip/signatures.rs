//! Parts of the signatures of generated methods.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, GenericArgument, Ident, Pat, PathArguments, ReturnType, Signature, TraitItem, Type, TypeParamBound};

/// The method of an item of a trait.
pub(crate) fn function(item: TraitItem) -> Option<Signature> {
    match item {
        TraitItem::Fn(function) => Some(function.sig),
        _ => None,
    }
}

/// The names of the arguments behind `self`.
pub(crate) fn arguments(signature: &Signature) -> Vec<Ident> {
    let typed = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(argument) => Some(&*argument.pat),
        FnArg::Receiver(_) => None,
    });
    let names = typed.filter_map(|pattern| match pattern {
        Pat::Ident(pattern) => Some(pattern.ident.clone()),
        _ => None,
    });
    names.collect()
}

/// The type that a method's future has.
pub(crate) fn output(returned: &ReturnType) -> Type {
    let ReturnType::Type(_, ty) = returned else {
        panic!("a method returns a future")
    };
    let Type::ImplTrait(ty) = &**ty else {
        panic!("a method returns a future")
    };
    let outputs = ty.bounds.iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => generic(&bound.path),
        _ => None,
    });
    let mut outputs = outputs.filter_map(|argument| match argument {
        GenericArgument::AssocType(output) => Some(output.ty.clone()),
        _ => None,
    });
    outputs.next().expect("a future has an output")
}

/// The only argument of a generic type.
pub(crate) fn generic(path: &syn::Path) -> Option<&GenericArgument> {
    match &path.segments.last()?.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.first(),
        _ => None,
    }
}

/// The type of a value that is present: without `Option`.
pub(crate) fn present(ty: &Type) -> &Type {
    match ty {
        Type::Path(path) if name_of(ty) == "Option" => match generic(&path.path) {
            Some(GenericArgument::Type(inner)) => inner,
            _ => ty,
        },
        _ => ty,
    }
}

/// The type of a value that is sent: bytes are sent as a text, lines as a list.
pub(crate) fn sent_type(ty: &Type) -> TokenStream {
    let ty = present(ty);
    match (name_of(ty).as_str(), ty) {
        ("ByteStream", _) => quote!(String),
        ("Lines", Type::Path(path)) => {
            let values = generic(&path.path);
            quote!(Vec<#values>)
        }
        _ => quote!(#ty),
    }
}

/// The name of the type of a response: `X` of `Result<Response<X>, Error>`.
pub(crate) fn response(send: &Signature) -> String {
    let ReturnType::Type(_, ty) = &send.output else {
        return String::new();
    };
    let inner = |ty: &Type| match ty {
        Type::Path(path) => match generic(&path.path) {
            Some(GenericArgument::Type(inner)) => Some(inner.clone()),
            _ => None,
        },
        _ => None,
    };
    let response = inner(ty).and_then(|response| inner(&response));
    response.as_ref().map(name_of).unwrap_or_default()
}

pub(crate) fn name_of(ty: &Type) -> String {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .map(|last| last.ident.to_string())
            .unwrap_or_default(),
        _ => String::new(),
    }
}
