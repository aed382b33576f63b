import { createMessage, readKey, readSignature, verify } from 'openpgp'

export interface SignedSums {
  /** SHA-256 by file name. */
  sums: ReadonlyMap<string, string>
  /** Fingerprint of the key, in capitals. */
  signedBy: string
}

/** What a file of checksums says; null unless its detached signature is by this key. */
export async function readSignedSums(
  content: Uint8Array,
  armoredSignature: string,
  armoredKey: string,
): Promise<SignedSums | null> {
  const key = await readKey({ armoredKey })
  const isSigned = await isSignedBy(content, armoredSignature, key).catch(() => false)
  if (!isSigned) return null
  return { sums: sumsIn(new TextDecoder().decode(content)), signedBy: key.getFingerprint().toUpperCase() }
}

type Key = Awaited<ReturnType<typeof readKey>>

async function isSignedBy(binary: Uint8Array, armoredSignature: string, key: Key): Promise<boolean> {
  const signature = await readSignature({ armoredSignature })
  const message = await createMessage({ binary })
  const { signatures } = await verify({ message, signature, verificationKeys: key, format: 'binary' })
  const verified = await Promise.allSettled(signatures.map((one) => one.verified))
  return verified.some(({ status }) => status === 'fulfilled')
}

/** Of a name that stands there twice, with different sums, none is believed. */
function sumsIn(text: string): Map<string, string> {
  const sums = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const [, sum, name] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? []
    if (sum && name) sums.set(name, sums.has(name) && sums.get(name) !== sum ? '' : sum)
  }
  return sums
}
