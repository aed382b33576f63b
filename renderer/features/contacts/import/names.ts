import type { Target } from './import-fields.ts'
import type { Sheet } from './sheet.ts'

/** Which columns the name of a contact is made of, and how. */
export interface NameColumns {
  /** One per column of the file. */
  targets: (Target | null)[]
  /** `Doe, Kim` becomes `Kim Doe`. */
  isLastNameFirst: boolean
}

const lastNameFirst = /^([^,]+),([^,]+)$/

/** The name in the cells of a row. */
export function nameIn(cells: readonly string[], { targets, isLastNameFirst }: NameColumns): string | undefined {
  const cell = (target: Target) => cells[targets.indexOf(target)]?.trim() || undefined
  const whole = cell('name')
  const [, last, first] = (isLastNameFirst && whole && lastNameFirst.exec(whole)) || []
  if (first && last) return `${first.trim()} ${last.trim()}`
  return whole ?? ([cell('firstName'), cell('lastName')].filter(Boolean).join(' ') || undefined)
}

/** Names in the file that have a comma in them, the first few. */
export function namesWithComma({ rows }: Sheet, targets: NameColumns['targets']): string[] {
  const column = targets.indexOf('name')
  return rows
    .map(({ cells }) => cells[column]?.trim() ?? '')
    .filter((name) => lastNameFirst.test(name))
    .slice(0, 3)
}

/** Whether most names look as if the last name came first. */
export function isMostlyLastNameFirst({ rows }: Sheet, targets: NameColumns['targets']): boolean {
  const column = targets.indexOf('name')
  const names = rows.map(({ cells }) => cells[column]?.trim() ?? '').filter(Boolean)
  return names.filter((name) => lastNameFirst.test(name)).length * 2 > names.length
}
