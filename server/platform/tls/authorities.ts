import type { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { writeFileDurably } from '../../../shared/node/files.ts'
import { toError } from '../../../shared/thrown.ts'
import { day } from '../clock.ts'
import { type KeyPair, life, parseSecretJson, storedCertificate, storedKeyPair } from './key-pair.ts'
import { readPrivateFile } from './private-file.ts'
import { TlsError } from './tls.ts'

const stageBeforeEnd = 180 * day
const graceForDevices = 14 * day
const keepAfterSwitch = 30 * day

// One file for all of it, so that a step of the rotation is either taken or not.
const stored = z.object({
  current: storedKeyPair,
  /** Devices learn it already; from `switchAt` (ms since epoch) on it signs. */
  next: storedKeyPair.safeExtend({ switchAt: z.int() }).nullable(),
  /** Trusted until `until` (ms since epoch); its key is destroyed at the switch. */
  previous: z.object({ certificate: storedCertificate, until: z.int() }).nullable(),
})
export type Authorities = z.output<typeof stored>

export type RotationStep = 'stage' | 'switch' | 'discard-next' | 'forget-previous'

/** The authorities kept in `file`, or null when there is no such file. */
export async function loadAuthorities(file: string): Promise<Authorities | null> {
  const text = await readPrivateFile(file)
  if (text === null) return null
  try {
    const authorities = stored.parse(parseSecretJson(text))
    requireAuthority(authorities.current.certificate)
    if (authorities.next) requireAuthority(authorities.next.certificate)
    return authorities
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : toError(error).message
    throw new TlsError(
      'authority_unusable',
      `The certificate authority in ${file} is damaged: ${reason}. Devices trust exactly this authority, so it is not ` +
        'replaced automatically. Restore the file from a backup, or remove the folder to start over: then every device ' +
        'must be enrolled again.',
    )
  }
}

export async function saveAuthorities(file: string, authorities: Authorities): Promise<void> {
  writeFileDurably(file, JSON.stringify(z.encode(stored, authorities), null, 2))
}

/** The certificates a device must trust, the current one first. */
export function trusted({ current, next, previous }: Authorities): X509Certificate[] {
  return [current, next, previous].filter((authority) => authority !== null).map(({ certificate }) => certificate)
}

/**
 * The step of a rotation that is due, if any. A clock outside the life of an authority is taken for a wrong clock: no
 * step follows from it, because an authority that devices pin cannot be brought back.
 */
export function dueStep({ current, next, previous }: Authorities, now: number): RotationStep | null {
  const { from, until } = life(current.certificate)
  if (now < from) return null
  if (next) {
    const nextLife = life(next.certificate)
    // Staged while the clock was ahead.
    if (now < nextLife.from) return 'discard-next'
    if (now >= next.switchAt && now < nextLife.until) return 'switch'
  } else if (now >= until - stageBeforeEnd && now < until) return 'stage'
  return previous && now >= previous.until ? 'forget-previous' : null
}

/**
 * `authorities` with `next` staged. Devices get half of what is left of the current authority, which is 90 days when
 * staged in time, or 14 days when a person `asked` for it.
 */
export function withNext(authorities: Authorities, next: KeyPair, now: number, asked: boolean): Authorities {
  const half = Math.max(0, life(authorities.current.certificate).until - now) / 2
  const switchAt = Math.floor(now + (asked ? Math.min(graceForDevices, half) : half))
  return { ...authorities, next: { ...next, switchAt } }
}

/** `authorities` after the switch to the next one, which must be staged. */
export function switched({ current, next }: Authorities, now: number): Authorities {
  if (!next) throw new TlsError('no_rotation_staged', 'No next authority is staged')
  const until = Math.min(now + keepAfterSwitch, life(current.certificate).until)
  return {
    current: { certificate: next.certificate, key: next.key },
    next: null,
    previous: { certificate: current.certificate, until },
  }
}

function requireAuthority(certificate: X509Certificate): void {
  if (!certificate.ca || !certificate.verify(certificate.publicKey)) {
    throw new Error('the certificate is not that of an authority')
  }
}
