import { existsSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Authorities,
  dueStep,
  loadAuthorities,
  type RotationStep,
  saveAuthorities,
  switched,
  trusted,
  withNext,
} from './authorities.ts'
import { fingerprint, type KeyPair, life } from './key-pair.ts'
import { certifiable } from './names.ts'
import { onceADay } from './once-a-day.ts'
import {
  loadServerCertificate,
  type ReissueReason,
  reasonToReissue,
  reissue,
  saveServerCertificate,
} from './server-certificate.ts'
import { type AutoTlsOptions, type SecureContext, type Tls, TlsError } from './tls.ts'

interface Files {
  authorities: string
  server: string
}

/** Opens the appliance's own authority and server certificate in `dir`, making what is missing. */
export async function openAuto(options: AutoTlsOptions): Promise<Tls> {
  const { dir, names, clock, log } = options
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await chmod(dir, 0o700)
  const files = { authorities: join(dir, 'authorities.json'), server: join(dir, 'server.json') }
  const authorities = (await loadAuthorities(files.authorities)) ?? (await firstAuthority(files, options))
  let server = await loadServerCertificate(files.server, log)
  if (!server) {
    server = await reissue('first', null, authorities.current, certifiable(names()), clock.now())
    await saveServerCertificate(files.server, server)
  }
  const tls = new AutoTls(options, files, authorities, server)
  await tls.tick()
  return tls
}

async function firstAuthority(files: Files, { clock, log }: AutoTlsOptions): Promise<Authorities> {
  if (existsSync(files.server)) {
    throw new TlsError(
      'authority_unusable',
      `The certificate authority in ${files.authorities} is missing, but it has signed ${files.server}. Restore it ` +
        'from a backup, or remove the folder to begin anew: then every device must be enrolled again.',
    )
  }
  const { createAuthority } = await import('./issue.ts')
  const authorities = { current: await createAuthority(clock.now()), next: null, previous: null }
  await saveAuthorities(files.authorities, authorities)
  log.info({ caFingerprint: fingerprint(authorities.current.certificate) }, 'Made a certificate authority')
  return authorities
}

class AutoTls implements Tls {
  readonly #options: AutoTlsOptions
  readonly #files: Files
  readonly #listeners: ((context: SecureContext) => void)[] = []
  readonly #complainDaily: ReturnType<typeof onceADay>
  #authorities: Authorities
  #server: KeyPair
  #context: SecureContext
  #lastTurn: Promise<unknown> = Promise.resolve()

  constructor(options: AutoTlsOptions, files: Files, authorities: Authorities, server: KeyPair) {
    this.#options = options
    this.#files = files
    this.#authorities = authorities
    this.#server = server
    this.#context = contextOf(server, authorities.current)
    this.#complainDaily = onceADay(options.clock)
  }

  secureContext(): SecureContext {
    return this.#context
  }

  onChange(listener: (context: SecureContext) => void): void {
    this.#listeners.push(listener)
  }

  caPem(): string {
    return trusted(this.#authorities).join('')
  }

  caFingerprint(): string {
    return fingerprint(this.#authorities.current.certificate)
  }

  trustedFingerprints(): string[] {
    return trusted(this.#authorities).map(fingerprint)
  }

  expires(): { ca: string; certificate: string } {
    return {
      ca: this.#authorities.current.certificate.validToDate.toISOString(),
      certificate: this.#server.certificate.validToDate.toISOString(),
    }
  }

  rotation(): { nextFingerprint: string; switchAt: string } | null {
    const { next } = this.#authorities
    return next && { nextFingerprint: fingerprint(next.certificate), switchAt: new Date(next.switchAt).toISOString() }
  }

  tick(): Promise<void> {
    return this.#inTurn(async () => {
      // The server certificate first: a full disk that stops a rotation must not let it expire.
      await this.#renew()
      await this.#rotate()
    })
  }

  rotateCa(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#authorities.next) throw new TlsError('rotation_staged', 'The next authority is staged already')
      if (this.#options.clock.now() < life(this.#authorities.current.certificate).from) {
        throw new TlsError('clock_behind', 'The clock is before the begin of the current authority')
      }
      await this.#stage(true)
      await this.#rotate()
    })
  }

  switchCa(): Promise<void> {
    return this.#inTurn(() => this.#take('switch'))
  }

  /** One change at a time: the timer, the job and a person may ask at once. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#lastTurn.then(work)
    this.#lastTurn = turn.catch(() => {})
    return turn
  }

  async #renew(): Promise<void> {
    const { clock, names } = this.#options
    const { current } = this.#authorities
    const wanted = certifiable(names())
    const reason = reasonToReissue(this.#server, current, wanted, clock.now())
    if (!reason) return
    this.#server = await reissue(reason, this.#server, current, wanted, clock.now())
    this.#context = contextOf(this.#server, current)
    this.#announce(reason)
    // Served already: when saving fails, the caller hears of it, and the next start makes another.
    await saveServerCertificate(this.#files.server, this.#server)
  }

  #announce(reason: ReissueReason): void {
    const { subjectAltName, validToDate } = this.#server.certificate
    this.#options.log.info({ reason, names: subjectAltName, expiresAt: validToDate }, 'Renewed the server certificate')
    for (const listener of this.#listeners) listener(this.#context)
  }

  async #rotate(): Promise<void> {
    const { clock, log } = this.#options
    const step = dueStep(this.#authorities, clock.now())
    if (step) await this.#take(step)
    const { until } = life(this.#authorities.current.certificate)
    if (clock.now() < until) return
    this.#complainDaily(() =>
      log.error(
        { expiredAt: new Date(until) },
        'The certificate authority has expired, no device can connect. If the clock is right, rotate the authority and ' +
          'enroll the devices again',
      ),
    )
  }

  async #take(step: RotationStep): Promise<void> {
    const authorities = this.#authorities
    switch (step) {
      case 'stage':
        return this.#stage(false)
      case 'switch':
        await this.#adopt(switched(authorities, this.#options.clock.now()))
        await this.#renew()
        break
      case 'discard-next':
        await this.#adopt({ ...authorities, next: null })
        break
      case 'forget-previous':
        await this.#adopt({ ...authorities, previous: null })
    }
    this.#options.log.info({ step, trusted: this.trustedFingerprints() }, 'Rotated the certificate authority')
  }

  async #stage(asked: boolean): Promise<void> {
    const { createAuthority } = await import('./issue.ts')
    const now = this.#options.clock.now()
    await this.#adopt(withNext(this.#authorities, await createAuthority(now), now, asked))
    this.#options.log.info(this.rotation() ?? {}, 'Staged the next certificate authority')
  }

  /** Saved before it is used: devices pin what they are told. */
  async #adopt(authorities: Authorities): Promise<void> {
    await saveAuthorities(this.#files.authorities, authorities)
    this.#authorities = authorities
  }
}

function contextOf(server: KeyPair, issuer: KeyPair): SecureContext {
  return { key: server.key, cert: `${server.certificate}${issuer.certificate}` }
}
