import { fieldError } from '../../../platform/errors.ts'
import type { Details } from '../secrets-of-details.ts'

/** The text of the first of these keys that has one. */
export function textOf(details: Details, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = details[key]
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') throw fieldError(`details.${key}`, 'Must be a text')
    if (value.trim() !== '') return value.trim()
  }
  return undefined
}

/** @throws AppError `validation_failed` when there is none */
export function requiredText(details: Details, message: string, ...keys: [string, ...string[]]): string {
  const value = textOf(details, ...keys)
  if (value === undefined) throw fieldError(`details.${keys[0]}`, message)
  return value
}

/** Folders below one another, without empty ones and without a way up. */
export function pathOf(details: Details, key: string): string {
  const parts = (textOf(details, key) ?? '').split('/').filter((part) => part !== '')
  if (parts.some((part) => part === '.' || part === '..'))
    throw fieldError(`details.${key}`, 'Must not contain . or ..')
  return parts.join('/')
}

export const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('/')

/** The details with these keys in place of their other names; undefined ones are left out. */
export function renamed(details: Details, aliases: readonly string[], values: Details): Details {
  const others = Object.entries(details).filter(([key]) => !aliases.includes(key))
  return Object.fromEntries(
    Object.entries({ ...Object.fromEntries(others), ...values }).filter(([, value]) => value !== undefined),
  )
}
