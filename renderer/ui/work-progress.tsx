import { Progress } from '@mantine/core'

interface Props {
  label: string
  text: string
  /** From 0 to 100; null while there is nothing to measure. */
  percent: number | null
}

/** Progress of long work; the text stands next to it too. */
export function WorkProgress({ label, text, percent }: Props) {
  return (
    <Progress.Root my={6} maw={600}>
      <Progress.Section value={percent ?? 100} animated={percent === null} aria-label={label} aria-valuetext={text} />
    </Progress.Root>
  )
}
