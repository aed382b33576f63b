import { fieldError } from '../../../platform/errors.ts'
import { joined, renamed, requiredText, textOf } from './fields.ts'
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
    return renamed(details, [], { url: url.href, username: textOf(details, 'username') })
  },
  target(details, subPath) {
    const url = new URL(`${joined((textOf(details, 'url') ?? '').replace(/\/+$/, ''), subPath)}/`)
    url.username = textOf(details, 'username') ?? ''
    url.password = textOf(details, 'password') ?? ''
    const certificate = textOf(details, 'caCertificate')
    return {
      url: `rest:${url.href}`,
      env: {},
      options: [],
      ...(certificate && { files: { caCertificate: certificate } }),
    }
  },
}
