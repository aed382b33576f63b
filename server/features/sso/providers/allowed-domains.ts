import { fieldError } from '../../../platform/errors.ts'
import { domainName } from '../domains/domain-name.ts'

/** The domains of a list as an administrator writes it; what is none is passed over. Null where every domain is allowed. */
export function allowedDomains(list: string | null): ReadonlySet<string> | null {
  if (list === null) return null
  const written = list.split(/[\s,]+/).map((one) => domainName(one.replace(/^@/, '')))
  return new Set(written.filter((domain) => domain !== null))
}

/** @throws AppError `validation_failed` for a list that would let nobody in */
export function assertNamesDomains(list: string | null | undefined): void {
  if (list && allowedDomains(list)?.size === 0)
    throw fieldError('allowedDomains', 'Name at least one domain, such as contoso.com')
}
