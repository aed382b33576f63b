import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { powerTool } from '../power.ts'
import { defaultStateDir } from '../state.ts'
import { makeFolder } from '../testing/scene.ts'
import { isDefinitionFor } from './index.ts'
import { plistText } from './launchd.ts'
import { unitText } from './systemd.ts'
import { taskXml } from './windows.ts'

const definition = (...command: string[]) => ({ command, stateDir: '/s' })

test('systemd: a path with blanks, percent and dollar signs stays one word', () => {
  const unit = unitText(definition('/opt/no de/node', '/opt/100%/$HOME/a"b.mjs', 'run'))
  expect(unit).toContain('ExecStart="/opt/no de/node" "/opt/100%%/$$HOME/a\\"b.mjs" "run"\n')
  expect(unit).toContain('Restart=on-failure')
})

const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasAnalyze)('systemd itself accepts the unit', async () => {
  const file = join(await makeFolder(), 'homeport-agent.service')
  writeFileSync(file, unitText(definition(process.execPath, '/dev/null', 'run', '--state-dir', '/var/lib/x y')))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
  expect(stderr).not.toContain('homeport-agent.service:')
  expect(status).toBe(0)
})

test('launchd: arguments are escaped, and the agent is restarted unless it exits successfully', () => {
  const plist = plistText(definition('/usr/local/bin/node', 'run', '--state-dir', '/Library/R&D <1>'))
  expect(plist).toContain('<string>/Library/R&amp;D &lt;1&gt;</string>')
  expect(plist).toMatch(/<key>SuccessfulExit<\/key>\s*<false\/>/)
  expect(plist).toMatch(/<key>RunAtLoad<\/key>\s*<true\/>/)
})

test('Windows: SYSTEM, no time limit, quoted arguments', () => {
  const xml = taskXml(definition('C:\\Program Files\\nodejs\\node.exe', 'C:\\A & B\\agent.mjs', 'run', 'C:\\dir\\'))
  expect(xml).toContain('<Command>C:\\Program Files\\nodejs\\node.exe</Command>')
  expect(xml).toContain(
    '<Arguments>&quot;C:\\A &amp; B\\agent.mjs&quot; &quot;run&quot; &quot;C:\\dir\\\\&quot;</Arguments>',
  )
  expect(xml).toContain('<UserId>S-1-5-18</UserId>')
  expect(xml).toContain('<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>')
})

test('a service definition is recognized by its state folder, however that is escaped', () => {
  for (const dir of ['/var/lib/x', "/srv/O'Neil & Söhne", '/opt/100%/$HOME', '/a <b>', 'C:\\R&D']) {
    const { command } = definition('node', 'agent.mjs', 'run', '--state-dir', dir)
    for (const text of [unitText, plistText, taskXml].map((write) => write({ command, stateDir: dir }))) {
      expect(isDefinitionFor(text, dir), text).toBe(true)
      expect(isDefinitionFor(text, `${dir}-2`), text).toBe(false)
    }
    const asWindowsGivesItBack = taskXml({ command, stateDir: dir }).replaceAll('&#39;', "'")
    expect(isDefinitionFor(asWindowsGivesItBack, dir)).toBe(true)
  }
})

test('launchd and Windows: an apostrophe in a path is escaped', () => {
  expect(plistText(definition("/srv/O'Neil"))).toContain('<string>/srv/O&#39;Neil</string>')
  expect(taskXml(definition("C:\\O'Neil\\node.exe"))).toContain('<Command>C:\\O&#39;Neil\\node.exe</Command>')
})

test('reboot and shutdown use the tool of each platform', () => {
  expect(powerTool('reboot', 5, 'linux')).toEqual(['shutdown', ['-r', '+5', expect.any(String)]])
  expect(powerTool('shutdown', 0, 'linux')[1].slice(0, 2)).toEqual(['-P', '+0'])
  expect(powerTool('shutdown', 0, 'darwin')[1].slice(0, 2)).toEqual(['-h', '+0'])
  const [tool, args] = powerTool('reboot', 2, 'win32')
  expect(tool).toMatch(/shutdown\.exe$/)
  expect(args.slice(0, 3)).toEqual(['/r', '/t', '120'])
})

test('the state folder: named by the environment, else where the platform keeps such things', () => {
  expect(defaultStateDir({ HOMEPORT_AGENT_STATE_DIR: '/x' })).toBe('/x')
  expect(defaultStateDir({}, 'linux')).toMatch(/homeport-agent$/)
  expect(defaultStateDir({ ProgramData: '/pd' }, 'win32')).toBe(join('/pd', 'Homeport Agent'))
})
