import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { writeFileDurably } from '../shared/node/files.ts'

const bounds = z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) })
export type Bounds = z.infer<typeof bounds>

/** What the shell remembers. A value that cannot be understood falls back to its default, alone. */
const settings = z.object({
  exposeOnLan: z.boolean().catch(true),
  window: z.object({ bounds, isMaximized: z.boolean() }).optional().catch(undefined),
})
export type Settings = z.infer<typeof settings>

export interface SettingsFile {
  get: () => Settings
  change: (changes: Partial<Settings>) => void
}

export function openSettings(file: string): SettingsFile {
  let current = settings.catch(settings.parse({})).parse(readJson(file))
  return {
    get: () => current,
    change: (changes) => {
      current = { ...current, ...changes }
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileDurably(file, `${JSON.stringify(current, null, 2)}\n`)
    },
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
