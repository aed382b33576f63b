import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLog } from './log.ts'

test('the newest six files are kept, whichever run wrote them, and nothing else is touched', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'homeport-log-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const folder = join(dataDir, 'logs')
  mkdirSync(folder)
  const others = ['homeport.txt', 'homeport.old.log', 'desktop.log', 'homeport.3.log.bak']
  for (const name of [...others, ...[1, 2, 3, 8, 9, 10, 11, 12].map((number) => `homeport.${number}.log`)])
    writeFileSync(join(folder, name), 'of an earlier run\n')
  const { log, close } = await openLog(dataDir, 'info')
  const line = 'x'.repeat(1024 * 1024)
  for (let megabytes = 0; megabytes < 11; megabytes += 1) log.info(line)
  const kept = [8, 9, 10, 11, 12, 13].map((number) => `homeport.${number}.log`)
  await expect.poll(() => readdirSync(folder).sort()).toEqual([...others, ...kept].sort())
  await close()
})
