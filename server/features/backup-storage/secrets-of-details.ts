import { withoutCredentials } from '../../../shared/node/restic-refusals.ts'
import { isObject } from '../../../shared/objects.ts'

/** Settings of a provider, as its owner gives them. */
export type Details = Record<string, unknown>

const secretKeys = new Set([
  'accesskey',
  'accesskeyid',
  'accountkey',
  'apikey',
  'apisecret',
  'applicationkey',
  'authtoken',
  'clientsecret',
  'credential',
  'credentials',
  'credentialsjson',
  'password',
  'privatekey',
  'sastoken',
  'secret',
  'secretaccesskey',
  'secretkey',
  'sessiontoken',
  'token',
])
const mask = '********'

/** By its name, however that is written. */
export function isSecretKey(key: string): boolean {
  const plain = key.toLowerCase().replace(/[^a-z0-9]/g, '')
  return secretKeys.has(plain) || plain.endsWith('token') || plain.endsWith('secret')
}

/** With a mark in place of each secret. */
export const withoutSecrets = (details: Details): Details =>
  Object.fromEntries(
    Object.entries(details).map(([key, value]) => [
      key,
      isSecretKey(key)
        ? { redacted: true, hasSecret: value !== null && value !== '', masked: mask }
        : isObject(value)
          ? withoutSecrets(value)
          : value,
    ]),
  )

/**
 * What is stored after a change: named keys replace, null takes a key away, all others stay. A secret stays as well when
 * what was read comes back in its place.
 */
export function mergedDetails(stored: Details, changes: Details): Details {
  const merged = { ...stored }
  for (const [key, value] of Object.entries(changes)) {
    const former = stored[key]
    if (isSecretKey(key) && isMark(value)) continue
    if (value === null) delete merged[key]
    else
      merged[key] = isObject(value) && !isSecretKey(key) ? mergedDetails(isObject(former) ? former : {}, value) : value
  }
  return merged
}

/** Those of its own level that remain after these changes although nobody entered them anew. */
export const secretsKept = (stored: Details, changes: Details, after: Details): string[] =>
  Object.keys(after).filter(
    (key) => isSecretKey(key) && stored[key] !== undefined && (changes[key] === undefined || isMark(changes[key])),
  )

/** The secrets themselves, and what they are made of: a program may say a part of one. */
const secretsIn = (details: Details): string[] =>
  Object.entries(details).flatMap(([key, value]) => {
    if (isObject(value)) return secretsIn(value)
    return isSecretKey(key) && typeof value === 'string' ? [value, ...partsOf(value)].filter(isTelling) : []
  })

/** What a program said, without what must not be read by everybody who may work with a storage. */
export function withoutSecretsOf(details: Details, text: string): string {
  const secrets = secretsIn(details).flatMap((secret) => [secret, encodeURIComponent(secret)])
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), withoutCredentials(text))
}

/** Shorter texts stand in many others. */
const isTelling = (text: string): boolean => text.length >= 4

/** Of a key in JSON, and of a signature in the form of a query. */
function partsOf(secret: string): string[] {
  if (secret.trimStart().startsWith('{')) {
    const parsed = jsonIn(secret)
    return isObject(parsed) ? Object.values(parsed).filter((value) => typeof value === 'string') : []
  }
  return secret.includes('=') ? [...new URLSearchParams(secret).values()] : []
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isMark = (value: unknown): boolean =>
  typeof value === 'string'
    ? /^\*+$/.test(value)
    : isObject(value) && (value.redacted === true || value.hasSecret === true || value.masked === mask)
