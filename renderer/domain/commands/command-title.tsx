import type { DeviceCommand } from '../../../shared/api/commands.ts'
import { commandTitle, scriptOf } from './command-labels.ts'
import classes from './command-title.module.css'

/** What a command does, in one line: code looks like code. */
export function CommandTitle({ command }: { command: Pick<DeviceCommand, 'type' | 'payload'> }) {
  const text = commandTitle(command)
  return (
    <span className={classes.title} data-code={scriptOf(command) !== null || undefined} title={text}>
      {text}
    </span>
  )
}
