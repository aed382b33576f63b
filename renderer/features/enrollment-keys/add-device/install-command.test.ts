import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { powerShellQuote, shellQuote } from '../../../lib/shell-quote.ts'
import { type InstallFacts, installCommand, sourceCommands } from './install-command.ts'

const facts: InstallFacts = {
  origin: 'https://box.local:8443',
  key: 'ab'.repeat(32),
  caFingerprint: 'cd'.repeat(32),
  agent: { path: '/api/v1/agents/download/homeport-agent.mjs', sha256: 'ef'.repeat(32) },
}

test('the Linux line downloads, checks, enrolls and installs, each only when the one before succeeded', () => {
  expect(installCommand('linux', facts)).toBe(
    `curl -fsSk https://box.local:8443/api/v1/agents/download/homeport-agent.mjs -o homeport-agent.mjs` +
      ` && echo '${facts.agent.sha256}  homeport-agent.mjs' | sha256sum -c -` +
      ` && sudo node homeport-agent.mjs enroll ${facts.key} --server https://box.local:8443 --ca-fingerprint ${facts.caFingerprint}` +
      ` && sudo node homeport-agent.mjs service install`,
  )
})

test('macOS checks with its own tool', () => {
  expect(installCommand('macos', facts)).toContain('| shasum -a 256 -c - &&')
})

test('Windows stops when download, checksum or enrollment fail', () => {
  const line = installCommand('windows', facts)
  expect(line).toContain(`.Hash -ne '${facts.agent.sha256}') { throw`)
  expect(line.match(/\$LASTEXITCODE/g)).toHaveLength(2)
  expect(line).not.toContain('&&')
  expect(line).not.toContain('\n')
})

test('a certificate that the device trusts anyway is verified during the download, without a fingerprint', () => {
  const line = installCommand('linux', { ...facts, caFingerprint: null })
  expect(line).toContain('curl -fsS https://')
  expect(line).not.toContain('--ca-fingerprint')
})

test('the source variant enrolls and runs', () => {
  expect(sourceCommands(facts)).toBe(
    `npm run agent -- enroll ${facts.key} --server https://box.local:8443 --ca-fingerprint ${facts.caFingerprint}\nnpm run agent -- run`,
  )
})

const hostile = ["it's", 'a b', '$(id)', '`id`', '"; rm -rf /', 'a\nb', '*', '~', '!!', '\\', '$HOME', "''"]

test.each(hostile)('sh reads the quoted text %j back as it was', (text) => {
  expect(execFileSync('sh', ['-c', `printf %s ${shellQuote(text)}`], { encoding: 'utf8' })).toBe(text)
})

test('PowerShell quotes are doubled, the typographic ones too', () => {
  expect(powerShellQuote("it's $x `n ‘q’")).toBe("'it''s $x `n ‘‘q’’'")
})
