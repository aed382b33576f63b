import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { explainProviderError } from '../../renderer/features/sso/explain-provider-error.ts'

const folder = new URL('../../server/features/sso/outbound/', import.meta.url)

/** What the server says of a failed discovery, as its source has it. */
const said = readdirSync(folder)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .flatMap((source) => [
    ...source.matchAll(/OutboundError\(\s*'SSO_\w+',\s*(?:isIP\(host\)\s*\?\s*)?(['`])(.*?)\1/gs),
    ...source.matchAll(/return (`)([^`]*(?:certificate of|does not speak)[^`]*)`/g),
  ])
  .map(([, , text = '']) => text.replace(/\$\{(?:[^{}`]|`[^`]*`)*\}/g, '404'))
  // What is put together from one of the others.
  .filter((text) => !text.startsWith('404 ('))

test('the console explains every error with which the server fails a discovery', () => {
  expect(said.length).toBeGreaterThan(18)
  expect(said.filter((text) => explainProviderError(text) === null)).toEqual([])
})
