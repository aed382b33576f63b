import { type ErrorCode, errorTable, wireCodeOf } from '../../shared/errors/index.ts'
import type { Refusal } from '../../shared/errors/refusals.ts'
import { ApiError } from './api-error.ts'
import { UserFacingError } from './user-facing-error.ts'

const clientMessages = {
  network: 'Homeport isn’t responding. Check your connection to the appliance.',
  unexpected: 'Unexpected response. Check any proxy between you and Homeport.',
} as const

/** The row of the error table: refusals that share a code differ by status. */
function refusalOf({ code, status }: ApiError): { key: ErrorCode; refusal: Refusal } | undefined {
  const rows = Object.entries(errorTable) as [ErrorCode, Refusal][]
  const [key, refusal] =
    rows.find(([row, { status: ofRow }]) => wireCodeOf(row) === code && ofRow === status) ??
    rows.find(([row]) => row === code) ??
    []
  return key && refusal && { key, refusal }
}

/** The user is signed in and entered the current password wrongly. */
export const isWrongPassword = (error: unknown): boolean =>
  error instanceof ApiError && refusalOf(error)?.key === 'current_password_incorrect'

/** One or two sentences about a failed call, without a stack or secrets. */
export function messageFor(error: unknown): string {
  if (error instanceof UserFacingError) return error.message
  if (!(error instanceof ApiError)) return 'Something went wrong. Reloading the page may help.'
  const text = textOf(error)
  return error.retryAfter && error.status === 429 ? `${text} Try again in ${waitText(error.retryAfter)}.` : text
}

function textOf(error: ApiError): string {
  if (error.code === 'network' || error.code === 'unexpected') return clientMessages[error.code]
  const { onScreen, error: apiText = error.message } = refusalOf(error)?.refusal ?? {}
  return (onScreen && filledIn(onScreen, error.body)) ?? apiText
}

/** The same for one of several things that a call was about, where `message` is what clients are told. */
export function messageForPart({ code, message }: { code: string; message: string }): string {
  const [, refusal] = (Object.entries(errorTable) as [string, Refusal][]).find(([row]) => row === code) ?? []
  return (refusal?.onScreen && filledIn(refusal.onScreen, {})) ?? message
}

/** Replaces `{name}` by the field of the reply; `undefined` if the reply lacks it. */
function filledIn(text: string, body: Readonly<Record<string, unknown>>): string | undefined {
  const isFilled = [...text.matchAll(placeholder)].every(([, name = '']) => isShowable(body[name]))
  return isFilled ? text.replaceAll(placeholder, (_, name: string) => String(body[name])) : undefined
}

const placeholder = /\{(\w+)\}/g
const isShowable = (value: unknown) => typeof value === 'string' || typeof value === 'number'

/** Waiting time, rounded up to a familiar unit. */
function waitText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  if (seconds <= 10) return 'a few seconds'
  if (minutes === 1) return 'a minute'
  if (minutes < 60) return `${minutes} minutes`
  const hours = Math.ceil(minutes / 60)
  if (hours === 1) return 'an hour'
  return hours <= 48 ? `${hours} hours` : `${Math.ceil(hours / 24)} days`
}

/** The first message of each field, for `form.setErrors`. */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  const field = refusalOf(error)?.refusal.field
  if (field) return { [field]: messageFor(error) }
  return Object.fromEntries(Object.entries(error.fieldErrors).map(([name, messages]) => [name, messages[0] ?? '']))
}
