import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import type { ComponentName } from '../../../shared/components.ts'
import type { UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { eachUploadedFile } from '../../platform/http/upload.ts'
import { type Intake, isDiskFull } from './intake.ts'
import type { ProgramFolder } from './program-folder.ts'
import type { ProgramKey } from './program-key.ts'

/** What a browser calls a file goes into a reply and no further: on the disk it has a number. */
const longestName = 100

/** Takes the files of a release from a request, as they come, and stores them if all of them are what was signed. */
export async function takeUpload(
  { programs, intake }: { programs: ProgramFolder; intake: Intake },
  { actor, component, request }: { actor: UserActor; component: ComponentName; request: FastifyRequest },
  signal: AbortSignal,
): Promise<ProgramKey[]> {
  const folder = await programs.draft()
  const files: { name: string; path: string }[] = []
  try {
    await eachUploadedFile(request, async (name, content) => {
      const path = join(folder, String(files.length))
      files.push({ name: name.slice(0, longestName), path })
      await pipeline(content, createWriteStream(path, { flags: 'wx' })).catch((cause) => {
        throw isDiskFull(cause) ? new AppError('component_disk_full', {}, { cause }) : cause
      })
    })
    const adding = { actor, action: 'platform_admin.components.upload' } as const
    return await intake.addRelease({ component, source: 'upload', files, folder }, adding, signal)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
