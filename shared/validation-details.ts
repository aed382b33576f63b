import type { z } from 'zod'

/** What is wrong with the fields of a body, by their whole path (`settings.addresses.2`), and with the body itself. */
export interface ValidationDetails {
  formErrors: string[]
  fieldErrors: Record<string, string[]>
}

/** A body of a megabyte can break a contract in a hundred thousand places. */
const maxIssues = 50

export function validationDetails(issues: readonly z.core.$ZodIssue[]): ValidationDetails {
  const byPath = Map.groupBy(issues.slice(0, maxIssues), ({ path }) => path.join('.'))
  const messages = [...byPath].map(([path, broken]) => [path, broken.map(({ message }) => message)] as const)
  return {
    formErrors: messages.flatMap(([path, texts]) => (path === '' ? texts : [])),
    fieldErrors: Object.fromEntries(messages.filter(([path]) => path !== '')),
  }
}
