import { isIP } from 'node:net'
import { fieldError } from '../../../platform/errors.ts'
import { joined, pathOf, renamed, requiredText, textOf } from './fields.ts'
import type { StorageProvider } from './provider.ts'

const regionRequired =
  'S3 region is required (set it explicitly or use an endpoint that includes it, e.g. s3.us-west-004.backblazeb2.com)'

/** Amazon S3 and everything that speaks its protocol. */
export const s3: StorageProvider = {
  normalize(details) {
    const bucket = requiredText(details, 'S3 bucket is required', 'bucket')
    const endpoint = endpointOf(textOf(details, 'endpoint'))
    const region = textOf(details, 'region') ?? regionIn(endpoint)
    if (!region) throw fieldError('details.region', regionRequired)
    return renamed(details, ['accessKeyId', 'secretAccessKey', 'sse', 'endpoint'], {
      bucket,
      region,
      endpoint,
      accessKey: requiredText(details, 'The access key is required', 'accessKey', 'accessKeyId'),
      secretKey: requiredText(details, 'The secret key is required', 'secretKey', 'secretAccessKey'),
      prefix: pathOf(details, 'prefix'),
      serverSideEncryption: textOf(details, 'serverSideEncryption', 'sse'),
    })
  },
  target(details, subPath) {
    const region = textOf(details, 'region') ?? ''
    const endpoint = textOf(details, 'endpoint') ?? `https://s3.${region}.amazonaws.com`
    const token = textOf(details, 'sessionToken')
    return {
      url: `s3:${joined(endpoint, textOf(details, 'bucket') ?? '', textOf(details, 'prefix') ?? '', subPath)}`,
      env: {
        AWS_ACCESS_KEY_ID: textOf(details, 'accessKey') ?? '',
        AWS_SECRET_ACCESS_KEY: textOf(details, 'secretKey') ?? '',
        ...(token && { AWS_SESSION_TOKEN: token }),
      },
      options: [`s3.region=${region}`, ...(isByPath(endpoint) ? ['s3.bucket-lookup=path'] : [])],
    }
  },
}

/** @throws AppError `validation_failed` for what is no http address */
function endpointOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash
  if (!isPlain || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw fieldError('details.endpoint', 'Must be an http or https address')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** As in `s3.us-west-004.backblazeb2.com`. */
function regionIn(endpoint: string | undefined): string | undefined {
  const host = endpoint && URL.parse(endpoint)?.hostname
  return host ? /^s3[.-]([a-z]{2,}-[a-z0-9-]*\d[a-z0-9-]*)\./.exec(host)?.[1] : undefined
}

/** A bucket cannot stand before an address or a port in a certificate's name. */
function isByPath(endpoint: string): boolean {
  const url = URL.parse(endpoint)
  return url !== null && (url.port !== '' || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0)
}
