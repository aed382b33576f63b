import { Group, SegmentedControl, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type TaskPart, taskPart } from '../../../shared/api/system.ts'
import { tasksQuery } from '../../data/tasks.ts'
import { count } from '../../lib/format.ts'
import { PagedList } from '../../ui/data-table/paged-list.tsx'
import { partWords } from './task-labels.ts'
import { TaskTable } from './task-table.tsx'

const limit = 25
const nothing: Record<TaskPart, string> = {
  open: 'Nothing is waiting or running.',
  failed: 'Nothing has failed.',
  ended: 'Nothing ran recently.',
}

/** What is done once and must not get lost, below the schedules. */
export function TasksSection() {
  const { show = 'open', page = 1 } = useSearch({ from: '/app/system/appliance' })
  const navigate = useNavigate({ from: '/system/appliance' })
  const tasks = useQuery(tasksQuery({ show, page, limit }))
  const change = (next: string) =>
    navigate({ search: { tab: 'jobs', show: taskPart.exclude(['open']).optional().catch(undefined).parse(next) } })
  return (
    <>
      <Title order={2} size="h4" mt="xl">
        Tasks
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        One-time work that Homeport retries until it’s done: email, merges, deletions.
      </Text>
      <Group mb="md">
        <SegmentedControl
          size="xs"
          aria-label="Tasks to show"
          value={show}
          onChange={change}
          data={taskPart.options.map((value) => ({ value, label: labelOf(value, tasks.data?.counts[value]) }))}
        />
      </Group>
      <PagedList
        of={tasks}
        lines={3}
        empty={nothing[show]}
        what="task"
        onPage={(page) => navigate({ search: (old) => ({ ...old, page }) })}
      >
        {(rows, isStale) => <TaskTable tasks={rows} isStale={isStale} />}
      </PagedList>
    </>
  )
}

const labelOf = (part: TaskPart, amount: number | undefined): string =>
  amount && part !== 'ended' ? `${partWords[part]} (${count(amount)})` : partWords[part]
