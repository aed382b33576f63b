import { nameOrder } from '../../../shared/names.ts'

/** How a name stands in the index: its place in lists, and how it is really written where that differs. */
export interface NameColumns {
  key: string
  own: string
}

export function columnsOf(name: string): NameColumns {
  const key = nameOrder(name)
  return { key, own: key === name ? '' : name }
}

export const nameOf = (key: string, own: string): string => own || key
