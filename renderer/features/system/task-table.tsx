import { Progress, Text } from '@mantine/core'
import { IconRefresh, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { TaskView } from '../../../shared/api/system.ts'
import { giveTaskUp, tryTaskAgain } from '../../data/tasks.ts'
import { duration } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { useNow } from '../../lib/now.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type RowAction, RowMenu } from '../../ui/row-menu.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { attemptWords, errorWords, progressWords, stateWords } from './task-labels.ts'

export function TaskTable({ tasks, isStale }: { tasks: TaskView[]; isStale: boolean }) {
  return (
    <DataTable label="Tasks" rows={tasks} rowKey={({ id }) => id} columns={columns} minWidth={760} isStale={isStale} />
  )
}

const columns: Column<TaskView>[] = [
  { id: 'task', title: 'Task', cell: (task) => <Description task={task} /> },
  { id: 'state', title: 'Status', maxWidth: 360, cell: (task) => <State task={task} /> },
  { id: 'took', title: 'Duration', align: 'right', wrap: 'never', cell: (task) => duration(tookMs(task)) },
  { id: 'added', title: 'Added', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  menuColumn((task) => task.actions.length > 0 && <TaskMenu task={task} />),
]

function tookMs({ startedAt, finishedAt }: TaskView): number | null {
  return startedAt && finishedAt ? Date.parse(finishedAt) - Date.parse(startedAt) : null
}

function Description({ task: { description, kind } }: { task: TaskView }) {
  return (
    <>
      <Text size="sm" fw={500}>
        {description}
      </Text>
      <SecondLine isMono>{kind}</SecondLine>
    </>
  )
}

function State({ task }: { task: TaskView }) {
  const now = useNow()
  const { word, tone } = stateWords[task.state]
  const attempts = attemptWords(task)
  const error = errorWords(task)
  return (
    <>
      <StatusDot tone={tone} isPulsing={task.state === 'active'}>
        {word}
      </StatusDot>
      <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
        {task.state === 'active' && <HowFar task={task} />}
        {attempts && <div>{attempts}</div>}
        {task.nextAttemptAt && (
          <div>
            {Date.parse(task.nextAttemptAt) > now ? 'Next attempt' : 'Due'} <RelativeTime at={task.nextAttemptAt} />
          </div>
        )}
        {task.finishedAt && task.state !== 'failed' && <RelativeTime at={task.finishedAt} />}
        {error && <div>{error}</div>}
      </Text>
    </>
  )
}

function HowFar({ task }: { task: TaskView }) {
  const words = progressWords(task)
  const { done = 0, total = null } = task.progress ?? {}
  if (!words) return null
  return (
    <>
      {total !== null && <Progress my={4} maw={240} size="sm" value={(100 * done) / total} aria-label="Progress" />}
      {words}
    </>
  )
}

function TaskMenu({ task }: { task: TaskView }) {
  const retry = useMutation(tryTaskAgain)
  const giveUp = useMutation(giveTaskUp)
  const actions: RowAction[] = []
  if (task.actions.includes('retry'))
    actions.push({
      label: 'Retry now',
      Icon: IconRefresh,
      onClick: () =>
        retry.mutate(task.id, {
          onSuccess: () => notifyDone('Retrying the task now'),
          onError: notifyFailed('The task wasn’t retried'),
        }),
    })
  if (task.actions.includes('cancel')) {
    const dismiss = () =>
      giveUp.mutate(task.id, {
        onSuccess: () => notifyDone('Task dismissed'),
        onError: notifyFailed('The task wasn’t changed'),
      })
    const cancel = async () => {
      if (await confirmCancel(task, () => giveUp.mutateAsync(task.id))) notifyDone('Task canceled')
    }
    actions.push(
      task.state === 'failed'
        ? { label: 'Dismiss', Icon: IconX, onClick: dismiss }
        : { label: 'Cancel…', Icon: IconX, isDestructive: true, onClick: cancel },
    )
  }
  return <RowMenu name={task.description} actions={actions} isBusy={retry.isPending || giveUp.isPending} />
}

const confirmCancel = ({ description }: TaskView, run: () => Promise<unknown>) =>
  askToConfirm({
    title: 'Cancel this task?',
    consequences: `“${description}” won’t run. It can’t be started again from here.`,
    confirm: 'Cancel task',
    cancel: 'Keep task',
    run,
    failed: 'The task wasn’t changed',
  })
