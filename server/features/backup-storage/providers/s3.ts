import { isIP } from 'node:net'
import { fieldError } from '../../../platform/errors.ts'
import type { Details } from '../secrets-of-details.ts'
import { certificateOf, inUrl, joined, pathOf, requiredName, requiredText, textOf, withValues } from './fields.ts'
import type { StorageProvider } from './provider.ts'

const regionRequired =
  'S3 region is required (set it explicitly or use an endpoint that includes it, e.g. s3.us-west-004.backblazeb2.com)'

/** Amazon S3 and everything that speaks its protocol. */
export const s3: StorageProvider = {
  aliases: { accessKeyId: 'accessKey', secretAccessKey: 'secretKey', sse: 'serverSideEncryption' },
  normalize(details) {
    const bucket = requiredName(details, 'S3 bucket is required', 'bucket', /^[\w.:-]+$/)
    const endpoint = endpointIn(textOf(details, 'endpoint'))
    const region = textOf(details, 'region') ?? regionIn(endpoint)
    if (!region) throw fieldError('details.region', regionRequired)
    // It becomes part of the name of a host.
    if (!/^[a-z0-9-]+$/i.test(region)) throw fieldError('details.region', 'Must be the name of a region')
    return withValues(details, {
      bucket,
      region,
      endpoint,
      accessKey: requiredText(details, 'The access key is required', 'accessKey'),
      secretKey: requiredText(details, 'The secret key is required', 'secretKey'),
      sessionToken: textOf(details, 'sessionToken'),
      prefix: pathOf(details, 'prefix'),
      serverSideEncryption: textOf(details, 'serverSideEncryption'),
      caCertificate: certificateOf(details),
    })
  },
  host: (details) => bucketUrl(details).hostname,
  receiver: (details) => textOf(details, 'endpoint') ?? '',
  target(details, subPath) {
    const token = textOf(details, 'sessionToken')
    const path = joined(textOf(details, 'bucket') ?? '', textOf(details, 'prefix') ?? '', subPath)
    const caCertificate = certificateOf(details)
    return {
      url: `s3:${endpointOf(details)}/${inUrl(path)}`,
      env: {
        AWS_ACCESS_KEY_ID: textOf(details, 'accessKey') ?? '',
        AWS_SECRET_ACCESS_KEY: textOf(details, 'secretKey') ?? '',
        ...(token && { AWS_SESSION_TOKEN: token }),
      },
      options: [
        `s3.region=${textOf(details, 'region')}`,
        ...(isByPath(endpointOf(details)) ? ['s3.bucket-lookup=path'] : []),
      ],
      ...(caCertificate && { files: { caCertificate } }),
    }
  },
}

const endpointOf = (details: Details): string =>
  textOf(details, 'endpoint') ?? `https://s3.${textOf(details, 'region')}.amazonaws.com`

/** Where a bucket is, in the way in which restic asks for it: before the name of the host only where that is usual. */
export function bucketUrl(details: Details): URL {
  const url = new URL(endpointOf(details))
  const bucket = textOf(details, 'bucket') ?? ''
  const hasSubdomains = /\.(amazonaws\.com(\.cn)?|aliyuncs\.com)$/.test(url.hostname)
  if (hasSubdomains && !bucket.includes('.') && !isByPath(url.href)) url.hostname = `${bucket}.${url.hostname}`
  else url.pathname = joined(url.pathname.replace(/\/+$/, ''), inUrl(bucket))
  return url
}

/** @throws AppError `validation_failed` for what is no http address */
function endpointIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash
  if (!isPlain || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw fieldError('details.endpoint', 'Must be an http or https address')
  // restic takes the first part of a path for the bucket.
  if (url.pathname !== '/') throw fieldError('details.endpoint', 'Must not have a path')
  return url.origin
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
