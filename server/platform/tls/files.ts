import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { toError } from '../../../shared/thrown.ts'
import { day } from '../clock.ts'
import { life } from './key-pair.ts'
import { onceADay } from './once-a-day.ts'
import { type FilesTlsOptions, type SecureContext, type Tls, TlsError } from './tls.ts'

const warnBeforeEnd = 14 * day

/** Serves a certificate that is renewed outside of the appliance, and follows its files. */
export async function openFiles(options: FilesTlsOptions): Promise<Tls> {
  const context = await readPair(options)
  requireUsable(context, options)
  const tls = new FilesTls(options, context)
  await tls.tick()
  return tls
}

class FilesTls implements Tls {
  readonly #options: FilesTlsOptions
  readonly #listeners: ((context: SecureContext) => void)[] = []
  #context: SecureContext
  #complainDaily: ReturnType<typeof onceADay>
  #reported: string | null = null

  constructor(options: FilesTlsOptions, context: SecureContext) {
    this.#options = options
    this.#context = context
    this.#complainDaily = onceADay(options.clock)
  }

  secureContext(): SecureContext {
    return this.#context
  }

  onChange(listener: (context: SecureContext) => void): void {
    this.#listeners.push(listener)
  }

  async tick(): Promise<void> {
    try {
      await this.#reload()
      this.#reported = null
    } catch (error) {
      this.#reportOnce(toError(error).message)
    }
    this.#warnOfExpiry()
  }

  caPem(): null {
    return null
  }

  caFingerprint(): null {
    return null
  }

  trustedFingerprints(): string[] {
    return []
  }

  expires(): { ca: null; certificate: string } {
    return { ca: null, certificate: new X509Certificate(this.#context.cert).validToDate.toISOString() }
  }

  rotation(): null {
    return null
  }

  async rotateCa(): Promise<never> {
    throw new TlsError('no_authority', 'The certificate comes from files, there is no authority to rotate')
  }

  switchCa(): Promise<never> {
    return this.rotateCa()
  }

  async #reload(): Promise<void> {
    const found = await readPair(this.#options)
    if (found.key === this.#context.key && found.cert === this.#context.cert) return
    requireUsable(found, this.#options)
    this.#context = found
    this.#complainDaily = onceADay(this.#options.clock)
    this.#options.log.info({ expiresAt: this.expires().certificate }, 'Loaded the changed server certificate')
    for (const listener of this.#listeners) listener(found)
  }

  #reportOnce(problem: string): void {
    if (problem === this.#reported) return
    this.#reported = problem
    this.#options.log.error({ problem }, 'The changed server certificate cannot be used, the former one stays in use')
  }

  #warnOfExpiry(): void {
    const { clock, log, certFile } = this.#options
    const { from, until } = life(new X509Certificate(this.#context.cert))
    const now = clock.now()
    const facts = { certFile, validFrom: new Date(from), expiresAt: new Date(until) }
    if (now < from || now >= until) {
      this.#complainDaily(() => log.error(facts, 'The server certificate is not valid now, clients refuse it'))
    } else if (now >= until - warnBeforeEnd) {
      this.#complainDaily(() => log.warn(facts, 'The server certificate expires soon'))
    }
  }
}

async function readPair({ certFile, keyFile }: FilesTlsOptions): Promise<SecureContext> {
  try {
    return { key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8') }
  } catch (error) {
    throw new TlsError('files_unusable', `The TLS files cannot be read: ${toError(error).message}`)
  }
}

/** Lets OpenSSL load both as the server would: it refuses broken PEM and a key that does not fit the certificate. */
function requireUsable(context: SecureContext, { certFile, keyFile }: FilesTlsOptions): void {
  try {
    createSecureContext(context)
  } catch (error) {
    const reason = toError(error).message
    throw new TlsError('files_unusable', `${certFile} and ${keyFile} cannot be used together: ${reason}`)
  }
}
