import { fieldError } from '../../../platform/errors.ts'
import { domainName } from '../domains/domain-name.ts'

/** The domains in a list that an administrator entered; entries that are none are ignored. Null allows every domain. */
export function allowedDomains(list: string | null): ReadonlySet<string> | null {
  if (list === null) return null
  const written = list.split(/[\s,]+/).map((one) => domainName(one.replace(/^@/, '')))
  return new Set(written.filter((domain) => domain !== null))
}

/** @throws AppError `validation_failed` for a list that names no domain, and so would admit nobody */
export function assertNamesDomains(list: string | null | undefined): void {
  if (list && allowedDomains(list)?.size === 0)
    throw fieldError('allowedDomains', 'Name at least one domain, such as contoso.com')
}
