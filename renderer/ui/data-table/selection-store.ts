import type { Key } from 'react'
import { selectionAfterClick } from './selection.ts'

export interface Selected<Row> {
  /** Of the rows shown, in their order. */
  here: Row[]
  /** Of rows that were shown before. */
  elsewhere: Row[]
}

/** Which rows are selected. Each box listens for its own row, so that a click renders one box again and not the list. */
export class SelectionStore<Row> {
  readonly #keyOf: (row: Row) => Key
  readonly #listeners = new Set<() => void>()
  #shown: readonly Row[] = []
  #keys: ReadonlySet<Key> = new Set()
  #selected: Selected<Row> = { here: [], elsewhere: [] }
  #last: Key | undefined

  constructor(keyOf: (row: Row) => Key) {
    this.#keyOf = keyOf
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly selected = (): Selected<Row> => this.#selected

  has(row: Row): boolean {
    return this.#keys.has(this.#keyOf(row))
  }

  /** How many of the rows shown are selected. */
  readonly shownState = (): 'all' | 'some' | 'none' => {
    const { length } = this.#selected.here
    return length === 0 ? 'none' : length === this.#shown.length ? 'all' : 'some'
  }

  /** The rows shown from now on. Those that are no longer stay selected if it `keepsOthers`. */
  show(rows: readonly Row[], keepsOthers: boolean): void {
    const { here, elsewhere } = this.#selected
    this.#shown = rows
    if (here.length + elsewhere.length > 0) this.#set(keepsOthers ? [...elsewhere, ...here] : [], this.#keys)
  }

  /** @param isRange whether all rows since the one clicked before are meant */
  click(row: Row, isRange: boolean): void {
    const clicked = this.#keyOf(row)
    const here = new Set(this.#selected.here.map(this.#keyOf))
    const keys = this.#shown.map(this.#keyOf)
    this.#set(this.#selected.elsewhere, selectionAfterClick(keys, here, clicked, isRange ? this.#last : undefined))
    this.#last = clicked
  }

  selectShown(isSelected: boolean): void {
    this.#set(this.#selected.elsewhere, new Set(isSelected ? this.#shown.map(this.#keyOf) : []))
  }

  readonly clear = (): void => {
    if (this.#keys.size > 0) this.#set([], new Set())
  }

  /** Selects the rows shown that have one of the keys, and of the others those that are not shown. */
  #set(others: readonly Row[], keys: ReadonlySet<Key>): void {
    const shownKeys = new Set(this.#shown.map(this.#keyOf))
    const here = this.#shown.filter((row) => keys.has(this.#keyOf(row)))
    const elsewhere = others.filter((row) => !shownKeys.has(this.#keyOf(row)))
    // A list may hand over the same rows in another array each time it is rendered.
    if (isSame(here, this.#selected.here) && isSame(elsewhere, this.#selected.elsewhere)) return
    this.#selected = { here, elsewhere }
    this.#keys = new Set([...elsewhere, ...here].map(this.#keyOf))
    for (const listener of this.#listeners) listener()
  }
}

const isSame = <Row>(some: readonly Row[], others: readonly Row[]): boolean =>
  some.length === others.length && some.every((row, at) => row === others[at])
