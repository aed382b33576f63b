import { X509Certificate } from 'node:crypto'
import { fieldError } from '../../../platform/errors.ts'
import type { Details } from '../secrets-of-details.ts'

/** The text of this key; undefined when there is none. */
export function textOf(details: Details, key: string): string | undefined {
  const value = details[key]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw fieldError(`details.${key}`, 'Must be a text')
  return value.trim() === '' ? undefined : value.trim()
}

/** @throws AppError `validation_failed` when there is none */
export function requiredText(details: Details, message: string, key: string): string {
  const value = textOf(details, key)
  if (value === undefined) throw fieldError(`details.${key}`, message)
  return value
}

/** A text that becomes part of an address or of the name of a host. */
export function requiredName(details: Details, message: string, key: string, pattern: RegExp): string {
  const value = requiredText(details, message, key)
  if (!pattern.test(value)) throw fieldError(`details.${key}`, 'Has characters that are not allowed there')
  return value
}

/** Folders below one another, without empty ones and without a way up. */
export function pathOf(details: Details, key: string): string {
  const parts = (textOf(details, key) ?? '').split('/').filter((part) => part !== '')
  if (parts.some((part) => part === '.' || part === '..'))
    throw fieldError(`details.${key}`, 'Must not contain . or ..')
  return parts.join('/')
}

/** Of the authority of a server; PEM. */
export function certificateOf(details: Details): string | undefined {
  const pem = textOf(details, 'caCertificate')
  if (pem === undefined) return undefined
  try {
    new X509Certificate(pem)
    return `${pem}\n`
  } catch {
    throw fieldError('details.caCertificate', 'Must be a certificate in PEM form')
  }
}

export const joined = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('/')

/** As part of a URL: restic decodes it. */
export const inUrl = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The details with these values; undefined ones are left out. */
export const withValues = (details: Details, values: Details): Details =>
  Object.fromEntries(Object.entries({ ...details, ...values }).filter(([, value]) => value !== undefined))
