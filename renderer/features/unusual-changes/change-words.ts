import type { UnusualChange } from '../../../shared/api/unusual-changes.ts'
import { count, plural } from '../../lib/format.ts'

/** What was found, one sentence each. */
export function changeWords({ filesBefore, changed, replaced, newEnding, looked }: UnusualChange['numbers']): string[] {
  const files = plural(filesBefore, 'file')
  const touched = changed + replaced
  return [
    touched > 0
      ? `${count(touched)} of ${files} changed or came under another name.`
      : `The list of its ${files} shows no change, but the appliance had to store much more.`,
    ...(newEnding ? [`The names of ${count(newEnding.files)} now end in “${newEnding.text}”.`] : []),
    looked
      ? `The appliance looked into ${plural(looked.files, 'file')}: ${count(looked.spoiled)} could be read before and can’t be read now.`
      : 'The appliance couldn’t look into the files, so this may be harmless: for example, a disk that was copied.',
  ]
}

export const decisionWords = {
  expected: {
    title: 'Was this change expected?',
    explanation: 'Older snapshots expire again as their policy says.',
    example: 'Such as “Encrypted the archive ourselves”',
    action: 'It was expected',
    done: 'Snapshots of this device expire as usual again',
  },
  held: {
    title: 'Keep the older snapshots?',
    explanation: 'Nothing from before this change expires until someone says that it was expected.',
    example: 'Such as “Ransomware, being cleaned up”',
    action: 'Keep on hold',
    done: 'Older snapshots of this device are kept',
  },
} as const
