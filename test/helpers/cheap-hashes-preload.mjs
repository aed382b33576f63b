import { createRequire } from 'node:module'

/**
 * As `cheap-hashes.ts`, for servers that tests start as processes of their own: loaded before anything else. Plain
 * JavaScript, so that the built server need not load what removes types.
 */
const argon2 = createRequire(import.meta.url)('argon2')
const { hash } = argon2
const lowest = { memoryCost: 64, timeCost: 1, parallelism: 1 }
Object.assign(argon2, {
  hash: (/** @type {string} */ secret, /** @type {object} */ options) => hash(secret, { ...options, ...lowest }),
})
