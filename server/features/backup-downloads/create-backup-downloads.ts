import { create as contentDisposition } from 'content-disposition'
import * as contract from '../../../shared/api/backup-downloads.ts'
import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../platform/errors.ts'
import { apiPrefix } from '../../platform/http/http.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Authentication } from '../authentication/index.ts'
import type { ApplianceRestic } from '../backup-engine/index.ts'
import type { BackupSnapshots } from '../backup-snapshots/index.ts'
import type { BackupStorage } from '../backup-storage/index.ts'
import { BackupDownloads, type Download } from './downloads.ts'
import { endWhenUnread } from './end-when-unread.ts'

interface DownloadDependencies
  extends Pick<Authentication, 'identities'>,
    Pick<BackupSnapshots, 'snapshots' | 'files'>,
    Pick<BackupStorage, 'locks'> {
  restic: ApplianceRestic
}

const cookie = 'svc_backup_download'

/** Files of snapshots as downloads of a browser, read from the repository without the device. */
export function createBackupDownloads(services: Services, dependencies: DownloadDependencies): Module<null> {
  const downloads = new BackupDownloads({ ...services, ...dependencies })
  const { forceSecure } = services.config.cookie
  const cookieFor = (id: string, request: FastifyRequest) => ({
    path: `${apiPrefix}/backup/downloads/${id}`,
    httpOnly: true,
    sameSite: 'strict' as const,
    secure: request.origin.isSecure || forceSecure,
  })
  return {
    api: null,
    routes: (http) => {
      http.user(contract.startBackupDownload, async ({ actor, params, query, body, request, reply }) => {
        const wanted = { id: params.id, paths: body.paths, orgId: query.orgId }
        const { id, secret, fileName, bytes } = await whileThere(reply, (left) => downloads.begin(actor, wanted, left))
        reply.setCookie(cookie, secret, { ...cookieFor(id, request), maxAge: contract.downloadWaitSeconds })
        return { id, fileName, bytes }
      })
      http.public(contract.fetchBackupDownload, ({ params, request, reply }) => {
        const { downloadId: id } = params
        // Asking what it would be does not use it up.
        if (request.method === 'HEAD') throw new AppError('backup_download_gone')
        const download = downloads.take(id, request.cookies[cookie] ?? '', request.origin)
        reply.setCookie(cookie, '', { ...cookieFor(id, request), maxAge: 0 })
        endWhenUnread(reply.raw, services.clock)
        return send(reply, download)
      })
    },
    stop: () => downloads.stop(),
  }
}

function send(reply: FastifyReply, { fileName, bytes, content }: Download): FastifyReply {
  reply.headers({
    'content-type': bytes === null ? 'application/zip' : contract.fetchBackupDownload.content,
    'content-disposition': contentDisposition(fileName),
    'cache-control': 'no-store',
    'accept-ranges': 'none',
    'x-content-type-options': 'nosniff',
    ...(bytes !== null && { 'content-length': bytes }),
  })
  return reply.send(content)
}

/** The signal says that the caller has gone before there was an answer. */
async function whileThere<T>(reply: FastifyReply, work: (left: AbortSignal) => Promise<T>): Promise<T> {
  const left = new AbortController()
  const leave = () => left.abort()
  reply.raw.once('close', leave)
  try {
    return await work(left.signal)
  } finally {
    reply.raw.off('close', leave)
  }
}
