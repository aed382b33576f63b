import { Progress, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconRefresh, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { TaskView } from '../../../shared/api/system.ts'
import { giveTaskUp, tryTaskAgain } from '../../data/tasks.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
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
  { id: 'state', title: 'State', maxWidth: 360, cell: (task) => <State task={task} /> },
  { id: 'added', title: 'Added', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  menuColumn((task) => task.actions.length > 0 && <TaskMenu task={task} />),
]

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
            Next attempt <RelativeTime at={task.nextAttemptAt} />
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
      label: 'Try again now',
      Icon: IconRefresh,
      onClick: () =>
        retry.mutate(task.id, {
          onSuccess: () => notifyDone('The task is tried again now'),
          onError: notifyFailed('The task was not tried again'),
        }),
    })
  if (task.actions.includes('cancel')) {
    const isOver = task.state === 'failed'
    const cancel = () =>
      giveUp.mutate(task.id, {
        onSuccess: () => notifyDone(isOver ? 'The task is dismissed' : 'The task is canceled'),
        onError: notifyFailed('Nothing was done about the task'),
      })
    actions.push(
      isOver
        ? { label: 'Dismiss', Icon: IconX, onClick: cancel }
        : { label: 'Cancel…', Icon: IconX, isDestructive: true, onClick: () => confirmCancel(task, cancel) },
    )
  }
  return <RowMenu name={task.description} actions={actions} isBusy={retry.isPending || giveUp.isPending} />
}

const confirmCancel = ({ description }: TaskView, onConfirm: () => void) =>
  modals.openConfirmModal({
    title: 'Cancel this task?',
    children: <Text size="sm">“{description}” doesn’t happen. It can’t be started again from here.</Text>,
    labels: { confirm: 'Cancel the task', cancel: 'Keep it' },
    confirmProps: { color: 'red' },
    onConfirm,
  })
