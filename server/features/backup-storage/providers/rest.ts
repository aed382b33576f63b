import { fieldError } from '../../../platform/errors.ts'
import type { Details } from '../secrets-of-details.ts'
import { certificateOf, joined, requiredText, textOf, withValues } from './fields.ts'
import type { StorageProvider } from './provider.ts'

/** A rest-server, or anything else that speaks restic's own protocol. */
export const rest: StorageProvider = {
  normalize(details) {
    const url = URL.parse(requiredText(details, 'The address is required', 'url'))
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
      throw fieldError('details.url', 'Must be an http or https address')
    // Which would be shown with the address.
    if (url.username || url.password) throw fieldError('details.url', 'Give the user name and the password beside it')
    if (url.search || url.hash) throw fieldError('details.url', 'Must not have a query or a fragment')
    return withValues(details, {
      url: url.href,
      username: textOf(details, 'username'),
      password: textOf(details, 'password'),
      caCertificate: certificateOf(details),
    })
  },
  host: (details) => URL.parse(textOf(details, 'url') ?? '')?.hostname ?? '',
  receiver: (details) => URL.parse(textOf(details, 'url') ?? '')?.origin ?? '',
  target(details, subPath) {
    const url = restUrl(details, subPath)
    // Encoded whole: a percent sign in a password is not the begin of a code.
    url.username = encodeURIComponent(textOf(details, 'username') ?? '')
    url.password = encodeURIComponent(textOf(details, 'password') ?? '')
    const caCertificate = certificateOf(details)
    return {
      url: `rest:${url.href}`,
      env: {},
      options: [],
      ...(caCertificate && { files: { caCertificate } }),
    }
  },
}

/** Where a repository is there, without credentials. In one folder: a rest-server takes two levels in all, a user's own included. */
export const restUrl = (details: Details, subPath: string): URL =>
  new URL(`${joined((textOf(details, 'url') ?? '').replace(/\/+$/, ''), subPath.replaceAll('/', '-'))}/`)
