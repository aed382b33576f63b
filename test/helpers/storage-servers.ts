import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { freePort } from './real-appliance.ts'
import { stoppableServer } from './started-process.ts'

/** Servers for backups, each with a bucket or folder of its own and one account. */

/** @param file what `peerFor` says */
export async function s3Server(file: string) {
  const [folder, port] = [scratchFolder(), await freePort()]
  const [bucket, region, accessKey, secretKey] = ['backups', 'eu-test-1', 'AKIATEST', randomBytes(20).toString('hex')]
  mkdirSync(join(folder, bucket))
  const server = await stoppableServer({
    file,
    args: ['--port', `127.0.0.1:${port}`, '--region', region, '--quiet', 'posix', folder],
    env: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
    port,
  })
  return {
    server,
    folder: join(folder, bucket),
    details: { endpoint: `http://127.0.0.1:${port}`, bucket, region, accessKey, secretKey },
  }
}

/** @param file what `peerFor` says */
export async function restServer(file: string) {
  const [folder, port] = [scratchFolder(), await freePort()]
  const [username, password] = ['acme', `100%:é${randomBytes(8).toString('hex')}`]
  const accounts = join(folder, 'accounts')
  // This server takes what stands there as it is.
  writeFileSync(accounts, `${username}:${password}\n`)
  const [data, home] = [join(folder, 'data'), join(folder, 'home')]
  for (const one of [data, home]) mkdirSync(one)
  const server = await stoppableServer({
    file,
    args: ['serve', '--listen', `127.0.0.1:${port}`, '--path', data, '--htpasswd-file', accounts],
    env: { HOME: home },
    port,
  })
  return { server, folder: data, details: { url: `http://127.0.0.1:${port}/`, username, password } }
}
