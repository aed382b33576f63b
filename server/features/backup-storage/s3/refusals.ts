import { notAdmitted, redirected, Unusable } from '../unusable.ts'

/** What the storage says by a code; of its answer nothing else is told. */
const reasons: Record<string, string> = {
  NoSuchBucket: 'There is no such bucket',
  InvalidAccessKeyId: notAdmitted,
  SignatureDoesNotMatch: notAdmitted,
  InvalidToken: notAdmitted,
  ExpiredToken: 'The session token has expired',
  AccessDenied: 'The access key may not do that in this bucket',
  RequestTimeTooSkewed: 'The clock of the appliance and that of the storage differ too much',
  AuthorizationHeaderMalformed: 'The region is not that of the bucket',
  PermanentRedirect: 'The bucket is in another region or has another endpoint',
}

export interface Answered {
  status: number
  /** Of the error, such as `NoSuchBucket`. */
  code: string | undefined
}

export const isDone = ({ status }: Answered): boolean => status >= 200 && status < 300

/** Why something was not done. */
export function refusalIn({ status, code }: Answered): Unusable {
  const reason = code && reasons[code]
  if (reason) return new Unusable(reason)
  if (status >= 300 && status < 400) return redirected(status)
  if (status === 401 || status === 403) return new Unusable(notAdmitted)
  return new Unusable(`The storage answered ${status}`)
}
