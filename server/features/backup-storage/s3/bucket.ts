import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import type { RequestInit, Response } from 'undici'
import { inUrl, textOf } from '../providers/fields.ts'
import { bucketUrl } from '../providers/s3.ts'
import type { Details } from '../secrets-of-details.ts'
import { beginOf, type S3Item, valuesIn } from './answers.ts'
import { type Answered, isDone, refusalIn } from './refusals.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Whether a bucket can lock objects. */
export interface ObjectLock {
  supported: boolean
  error: string | null
}

/** Until when nobody deletes an object, as the storage says it. */
export interface Retention {
  mode: string
  until: number
}

export interface ObjectVersion {
  key: string
  versionId: string
  /** In place of the object there is a mark that it was deleted. */
  isDeletion: boolean
  isLatest: boolean
  /** What is not told is never the same. */
  etag: string | undefined
}

interface Question {
  /** Of an object; left out for the bucket. */
  key?: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: Buffer
}

const perPage = 500

/** A bucket, asked by what `fetch` permits. */
export class S3Bucket {
  readonly #details: Details
  readonly #fetch: Fetch
  readonly #signal: AbortSignal
  readonly #url: string
  /** Of the signing key of the day. */
  readonly #cache = new Map<string, ArrayBuffer>()

  constructor(details: Details, fetch: Fetch, signal: AbortSignal) {
    this.#details = details
    this.#fetch = fetch
    this.#signal = signal
    this.#url = bucketUrl(details).href.replace(/\/$/, '')
  }

  async put(key: string, body: Buffer): Promise<Answered> {
    return answeredBy(await this.#ask('PUT', { key, body }))
  }

  /** The first bytes of an object; null when it is refused. */
  async get(key: string, maxBytes: number): Promise<{ answered: Answered; bytes: Buffer | null }> {
    const response = await this.#ask('GET', { key })
    if (!response.ok) return { answered: await answeredBy(response), bytes: null }
    return { answered: { status: response.status, code: undefined }, bytes: await beginOf(response, maxBytes) }
  }

  /** Of the whole object, or of one version for good. */
  async remove(key: string, versionId?: string): Promise<Answered> {
    return answeredBy(await this.#ask('DELETE', { key, ...(versionId !== undefined && { query: { versionId } }) }))
  }

  async objectLock(): Promise<ObjectLock> {
    const response = await this.#ask('GET', { query: { 'object-lock': '' } })
    const { values } = await valuesIn(response)
    const { status } = response
    if (status === 200) return { supported: values.ObjectLockEnabled === 'Enabled', error: null }
    const hasNone = values.Code === 'ObjectLockConfigurationNotFoundError' || status === 400 || status === 501
    return { supported: false, error: hasNone ? null : `The storage answered ${status} when asked for object lock` }
  }

  /**
   * The names of all objects that begin so, in pages, in the order of S3.
   * @throws Unusable
   */
  async *objects(prefix: string): AsyncGenerator<string[]> {
    const all = { 'list-type': '2', prefix, 'max-keys': String(perPage) }
    let next: Record<string, string> = {}
    for (;;) {
      const { values, items } = await this.#list({ ...all, ...next })
      yield keysIn(items)
      const token = values.NextContinuationToken
      if (values.IsTruncated !== 'true' || !token) return
      next = { 'continuation-token': token }
    }
  }

  /**
   * All versions of all objects that begin so, in pages. Of an object the newest first; some storage tells deletions apart.
   * @throws Unusable
   */
  async *versions(prefix: string): AsyncGenerator<ObjectVersion[]> {
    const all = { versions: '', prefix, 'max-keys': String(perPage) }
    let next: Record<string, string> = {}
    for (;;) {
      const { values, items } = await this.#list({ ...all, ...next })
      yield items.flatMap(versionIn)
      const { NextKeyMarker: key, NextVersionIdMarker: version } = values
      if (values.IsTruncated !== 'true' || !key) return
      next = { 'key-marker': key, ...(version && { 'version-id-marker': version }) }
    }
  }

  /** Nobody deletes or overwrites this version of the object before that, whatever their rights. */
  async lock(key: string, until: string): Promise<Answered> {
    const body = Buffer.from(
      `<Retention xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Mode>COMPLIANCE</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`,
    )
    return answeredBy(await this.#ask('PUT', { key, query: { retention: '' }, body }))
  }

  async retentionOf(key: string): Promise<{ answered: Answered; retention: Retention | null }> {
    const response = await this.#ask('GET', { key, query: { retention: '' } })
    const { values } = await valuesIn(response)
    const until = Date.parse(values.RetainUntilDate ?? '')
    const isSaid = response.status === 200 && values.Mode !== undefined && !Number.isNaN(until)
    return {
      answered: { status: response.status, code: values.Code },
      retention: isSaid ? { mode: values.Mode ?? '', until } : null,
    }
  }

  /** Makes this version of the object the newest one again. */
  async putBack(key: string, versionId: string): Promise<Answered> {
    const bucket = textOf(this.#details, 'bucket') ?? ''
    const source = `/${inUrl(bucket)}/${inUrl(key)}?versionId=${encodeURIComponent(versionId)}`
    return answeredBy(await this.#ask('PUT', { key, headers: { 'x-amz-copy-source': source } }))
  }

  async #list(query: Record<string, string>) {
    const response = await this.#ask('GET', { query })
    const said = await valuesIn(response)
    const answered = { status: response.status, code: said.values.Code }
    // What is no listing is not taken for an empty one.
    if (!isDone(answered) || said.values.IsTruncated === undefined) throw refusalIn(answered)
    return said
  }

  async #ask(method: string, { key, query, headers, body }: Question): Promise<Response> {
    const details = this.#details
    const path = key === undefined ? this.#url : `${this.#url}/${inUrl(key)}`
    const asked = Object.entries(query ?? {}).map((pair) => pair.map(encodeURIComponent).join('='))
    const url = asked.length === 0 ? path : `${path}?${asked.join('&')}`
    const sessionToken = textOf(details, 'sessionToken')
    const signer = new AwsV4Signer({
      method,
      url,
      service: 's3',
      region: textOf(details, 'region') ?? '',
      accessKeyId: textOf(details, 'accessKey') ?? '',
      secretAccessKey: textOf(details, 'secretKey') ?? '',
      ...(sessionToken && { sessionToken }),
      cache: this.#cache,
      headers: {
        ...headers,
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
        // A bucket that locks its objects wants it.
        ...(body && { 'content-md5': createHash('md5').update(body).digest('base64') }),
      },
    })
    const signed = await signer.sign()
    return this.#fetch(url, {
      method,
      headers: Object.fromEntries(signed.headers),
      signal: this.#signal,
      ...(body && { body: new Uint8Array(body) }),
    })
  }
}

async function answeredBy(response: Response): Promise<Answered> {
  const { values } = await valuesIn(response)
  return { status: response.status, code: values.Code }
}

const keysIn = (items: readonly S3Item[]): string[] =>
  items.flatMap(({ kind, values }) => (kind === 'Contents' && values.Key !== undefined ? [values.Key] : []))

function versionIn({ kind, values }: S3Item): ObjectVersion[] {
  const { Key: key, VersionId: versionId, ETag: etag } = values
  const isDeletion = kind === 'DeleteMarker'
  if ((kind !== 'Version' && !isDeletion) || key === undefined || versionId === undefined) return []
  return [{ key, versionId, isDeletion, isLatest: values.IsLatest === 'true', etag }]
}
