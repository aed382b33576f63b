declare const content: unique symbol

/** JSON of a value of this shape, as a column holds it. `toJson` makes it, so that `fromJson` need not check it again. */
export type JsonText<Value> = string & { readonly [content]: Value }

export const toJson = <Value>(value: Value): JsonText<Value> => JSON.stringify(value) as JsonText<Value>

export const fromJson = <Value>(text: JsonText<Value>): Value => JSON.parse(text)
