import { Command } from 'commander'
import { toError } from '../../shared/thrown.ts'
import { loadConfig } from '../config/config.ts'
import { backUp, restore } from './archive.ts'
import { check } from './check.ts'
import { createOperator, makePlatformAdmin, resetPassword } from './people.ts'
import { recoverRepository } from './recover.ts'
import { runSampleAgents } from './samples/agents.ts'
import { seedSamples } from './samples/seed.ts'
import { undeleteRepositories } from './undelete.ts'

/** `npm run admin -- <command>`: administration from a shell, also while the appliance runs. */

process.umask(0o077)
const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

async function readSecret(name = 'Password'): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write(`${name}: `)
  let text = ''
  for await (const chunk of process.stdin) {
    text += chunk
    if (process.stdin.isTTY && text.includes('\n')) break
  }
  return text.replace(/\r?\n[\s\S]*$/, '')
}

const config = () => loadConfig(process.env)
const program = new Command('admin').description('Administer a Homeport appliance')

program
  .command('create-operator')
  .description('create an operator: an account for the whole appliance, outside all companies')
  .requiredOption('--email <address>')
  .requiredOption('--name <name>')
  .requiredOption('--password-stdin', 'read the password from standard input')
  .action(async ({ email, name }: { email: string; name: string }) => {
    say(await createOperator(config(), email, name, await readSecret()))
  })

program
  .command('make-platform-admin')
  .description('make an existing account a platform admin')
  .requiredOption('--email <address>')
  .action(({ email }: { email: string }) => say(makePlatformAdmin(config(), email)))

program
  .command('reset-password')
  .description("set a user's password and end all their sessions")
  .requiredOption('--email <address>')
  .requiredOption('--password-stdin', 'read the password from standard input')
  .option('--remove-second-factor', 'also remove their second factor')
  .action(async ({ email, removeSecondFactor = false }: { email: string; removeSecondFactor?: boolean }) => {
    say(await resetPassword(config(), email, await readSecret(), removeSecondFactor))
  })

program
  .command('backup')
  .description('back up the whole appliance to one file, also while it runs')
  .argument('<file>')
  .action(async (file: string) => say(await backUp(config(), file)))

program
  .command('restore')
  .description('restore the appliance from a backup, while it is stopped')
  .argument('<file>')
  .action(async (file: string) => say(await restore(config(), file)))

program
  .command('recover-repository')
  .description('open backups of devices with the key of a recovery sheet, without an appliance')
  .argument('<place>', 'a repository, a folder with repositories, or an address that restic understands')
  .requiredOption('--key-stdin', 'read the key from standard input')
  .option('--snapshot <id>', 'restore this snapshot instead of listing all')
  .option('--path <path>', 'only this file or folder, as it was called on the device')
  .option('--to <folder>', 'where to')
  .option('--restic <file>', 'the restic program', 'restic')
  .action(async (place: string, wish: { snapshot?: string; path?: string; to?: string; restic: string }) => {
    for (const line of await recoverRepository({
      ...wish,
      place,
      key: await readSecret('Key'),
      environment: process.env,
    }))
      say(line)
  })

program
  .command('undelete-repository')
  .description('bring back backups of a device that somebody has deleted from an S3 bucket with versions')
  .argument('<device>', 'its name or id')
  .action(async (device: string) => {
    for (const line of await undeleteRepositories(config(), device)) say(line)
  })

program
  .command('check')
  .description('check the database, keys and certificates')
  .action(() => {
    const { lines, isWhole } = check(config())
    for (const line of lines) say(line)
    if (!isWhole) process.exitCode = 1
  })

program
  .command('seed-samples')
  .description('fill an empty appliance with a sample company, for development')
  .action(async () => say(await seedSamples(config())))

program
  .command('run-sample-agents')
  .description('let the devices of the sample company send heartbeats to a running appliance, for development')
  .argument('<origin>', 'such as http://127.0.0.1:8080')
  .action((origin: string) => runSampleAgents(origin, config().dataDir))

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${toError(error).message}\n`)
  process.exitCode = 1
})
