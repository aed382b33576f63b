import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLog } from './log.ts'

test('when the log file is full the oldest log files are deleted, whichever run wrote them, and no other file', async () => {
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
  const isThere = (number: number) => readdirSync(folder).includes(`homeport.${number}.log`)
  // One of them may be kept or not, as the new file may or may not be counted already.
  await expect.poll(() => [1, 2, 8, 9, 10, 11, 12, 13].filter(isThere)).toEqual([8, 9, 10, 11, 12, 13])
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(others))
  await close()
})
