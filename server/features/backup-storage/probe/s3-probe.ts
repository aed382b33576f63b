import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import type { RequestInit, Response } from 'undici'
import { inUrl, joined, textOf } from '../providers/fields.ts'
import { bucketUrl } from '../providers/s3.ts'
import type { Details } from '../secrets-of-details.ts'
import { notAdmitted, redirected, Unusable } from './unusable.ts'

type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ObjectLock {
  supported: boolean
  error: string | null
}

const maxAnswer = 64 * 1024

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

/**
 * Puts an object below the prefix, reads it and deletes it; then asks whether the bucket can lock objects.
 * @throws Unusable, Unreachable
 */
export async function probeS3(details: Details, fetch: Fetch, signal: AbortSignal): Promise<ObjectLock> {
  const bucket = bucketUrl(details).href.replace(/\/$/, '')
  const object = `${bucket}/${inUrl(joined(textOf(details, 'prefix') ?? '', `.probe-${randomUUID()}`))}`
  const content = randomBytes(32)
  const ask = (method: string, url: string, body?: Buffer) => signed(details, fetch, { method, url, body, signal })

  await ask('PUT', object, content).then(assertDone)
  try {
    const { bytes } = await ask('GET', object).then(assertDone)
    if (!content.equals(bytes)) throw new Unusable('The storage does not return what was stored')
  } finally {
    await ask('DELETE', object).then(assertDone)
  }
  return objectLockOf(await ask('GET', `${bucket}?object-lock=`))
}

interface Answer {
  status: number
  bytes: Buffer
  /** Of the error, such as `NoSuchBucket`. */
  code: string | undefined
}

interface Request {
  method: string
  url: string
  body: Buffer | undefined
  signal: AbortSignal
}

async function signed(details: Details, fetch: Fetch, { method, url, body, signal }: Request): Promise<Answer> {
  const sessionToken = textOf(details, 'sessionToken')
  const signer = new AwsV4Signer({
    method,
    url,
    service: 's3',
    region: textOf(details, 'region') ?? '',
    accessKeyId: textOf(details, 'accessKey') ?? '',
    secretAccessKey: textOf(details, 'secretKey') ?? '',
    ...(sessionToken && { sessionToken }),
    headers: {
      'x-amz-content-sha256': createHash('sha256')
        .update(body ?? '')
        .digest('hex'),
      // A bucket that locks its objects wants it.
      ...(body && { 'content-md5': createHash('md5').update(body).digest('base64') }),
    },
  })
  const { headers } = await signer.sign()
  const response = await fetch(url, {
    method,
    headers: Object.fromEntries(headers),
    signal,
    ...(body && { body: new Uint8Array(body) }),
  })
  const bytes = await beginOf(response)
  return { status: response.status, bytes, code: /<Code>(\w+)<\/Code>/.exec(bytes.toString())?.[1] }
}

async function beginOf({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxAnswer) break
  }
  return Buffer.concat(chunks)
}

function assertDone(answer: Answer): Answer {
  const { status, code } = answer
  if (status >= 200 && status < 300) return answer
  const reason = code && reasons[code]
  if (reason) throw new Unusable(reason)
  if (status >= 300 && status < 400) throw redirected(status)
  if (status === 401 || status === 403) throw new Unusable(notAdmitted)
  throw new Unusable(`The storage answered ${status}`)
}

function objectLockOf({ status, bytes, code }: Answer): ObjectLock {
  if (status === 200) return { supported: /<ObjectLockEnabled>Enabled</.test(bytes.toString()), error: null }
  const hasNone = code === 'ObjectLockConfigurationNotFoundError' || status === 400 || status === 501
  return { supported: false, error: hasNone ? null : `The storage answered ${status} when asked for object lock` }
}
