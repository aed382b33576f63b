import type { RequestInit, Response } from 'undici'
import { textOf } from '../providers/fields.ts'
import { restUrl } from '../providers/rest.ts'
import type { Details } from '../secrets-of-details.ts'
import { notAdmitted, redirected, Unusable } from '../unusable.ts'

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Asks for the configuration of a repository, as restic does first. That there is none is the answer of a server that
 * admits us. Not by restic itself, which would follow a redirect to anywhere.
 * @throws Unusable, Unreachable
 */
export async function probeRest(details: Details, subPath: string, fetch: Fetch, signal: AbortSignal): Promise<void> {
  const [username, password] = [textOf(details, 'username') ?? '', textOf(details, 'password') ?? '']
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const { status, body } = await fetch(new URL('config', restUrl(details, subPath)).href, {
    headers: { ...((username || password) && { authorization }) },
    signal,
  })
  body?.cancel().catch(() => {})
  if (status === 404 || status === 200) return
  if (status >= 300 && status < 400) throw redirected(status)
  if (status === 401 || status === 403) throw new Unusable(notAdmitted)
  throw new Unusable(`The server answered ${status}`)
}
