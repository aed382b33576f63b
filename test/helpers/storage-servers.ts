import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { freePort } from './real-appliance.ts'
import { stoppableServer } from './started-process.ts'

/** Servers for backups, each with a bucket or folder of its own and one account. */

/**
 * @param file what `peerFor` says
 * @param hasObjectLock the bucket keeps versions, and can lock them
 */
export async function s3Server(file: string, { hasObjectLock = false } = {}) {
  const [folder, port] = [scratchFolder(), await freePort()]
  const [bucket, region, accessKey, secretKey] = ['backups', 'eu-test-1', 'AKIATEST', randomBytes(20).toString('hex')]
  const versions = scratchFolder()
  if (!hasObjectLock) mkdirSync(join(folder, bucket))
  const server = await stoppableServer({
    file,
    args: ['--port', `127.0.0.1:${port}`, '--region', region, '--quiet', 'posix', '--versioning-dir', versions, folder],
    env: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
    port,
  })
  const endpoint = `http://127.0.0.1:${port}`
  if (hasObjectLock) {
    const account = new AwsClient({ accessKeyId: accessKey, secretAccessKey: secretKey, region, service: 's3' })
    const headers = { 'x-amz-bucket-object-lock-enabled': 'true' }
    const made = await account.fetch(`${endpoint}/${bucket}`, { method: 'PUT', headers })
    const said = await made.text()
    if (!made.ok) throw new Error(`The bucket was not made: ${made.status} ${said}`)
  }
  return { server, folder: join(folder, bucket), details: { endpoint, bucket, region, accessKey, secretKey } }
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
