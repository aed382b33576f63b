import { Anchor, Group, Text } from '@mantine/core'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { CommandWithOutput } from '../../data/live-rows.ts'
import { saveFile } from '../../lib/clipboard.ts'
import { plural } from '../../lib/format.ts'
import { outputRuns, tailOf } from './output.ts'
import classes from './output-view.module.css'

/** Browsers get slow with more text; the rest can be downloaded. */
const shownCharacters = 200_000

/** Output of a command; follows the end until the user scrolls up. */
export function OutputView({ command, isRunning }: { command: CommandWithOutput; isRunning: boolean }) {
  const runs = useMemo(() => outputRuns(command), [command])
  const tail = useMemo(() => tailOf(runs, shownCharacters), [runs])
  const { box, onScroll, isFollowing, follow } = useFollowEnd(tail)

  if (runs.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {isRunning ? 'No output yet.' : 'No output.'}
      </Text>
    )
  }
  const saveAll = () => saveFile(`command-${command.id}.txt`, runs.map(({ text }) => text).join(''))
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre ref={box} className={classes.output} tabIndex={0} role="log" aria-label="Output" onScroll={onScroll}>
        {tail.hidden > 0 && (
          <span className={classes.cut}>
            … {plural(tail.hidden, 'earlier character')} not shown{'\n'}
          </span>
        )}
        {tail.runs.map(({ stream, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: output only grows at its end
          <span key={index} className={stream === 'stderr' ? classes.error : undefined}>
            {text}
          </span>
        ))}
      </pre>
      <Group justify="space-between" mt={6}>
        <Text size="xs" c="dimmed">
          {runs.some(({ stream }) => stream === 'stderr') && (
            <span className={classes.error}>stderr is shown in orange.</span>
          )}
        </Text>
        <Group gap="md">
          {isRunning && !isFollowing && (
            <Anchor component="button" type="button" size="xs" c="var(--accent-text)" onClick={follow}>
              Follow output
            </Anchor>
          )}
          <Anchor component="button" type="button" size="xs" c="var(--accent-text)" onClick={saveAll}>
            Download
          </Anchor>
        </Group>
      </Group>
    </div>
  )
}

function useFollowEnd(content: unknown) {
  const box = useRef<HTMLPreElement>(null)
  const [isFollowing, setFollowing] = useState(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: new content is what moves the end
  useLayoutEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [content, isFollowing])
  const onScroll = () => {
    const element = box.current
    if (element) setFollowing(element.scrollHeight - element.scrollTop - element.clientHeight < 24)
  }
  return { box, onScroll, isFollowing, follow: () => setFollowing(true) }
}
