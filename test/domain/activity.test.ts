/** Whether a visit shows work: what is missing is never rest, and held memory decides nothing. */
import { describe, expect, it } from 'vitest';
import { seen, unseen } from '../../src/domain/part.ts';
import { visitActivity } from '../../src/domain/policy/activity.ts';
import { aPod, aRecord, aVisit, beat, gpuAt, minutes } from './build.ts';

const { rules } = aRecord();
const activity = (of: Parameters<typeof aVisit>[0], pod: Parameters<typeof aPod>[0] = {}) => {
  const look = aVisit(of);
  if (look.kind === 'unseen') throw new Error('a visit was built that is none');
  return visitActivity(look.value, aPod(pod), rules);
};

describe('a visit', () => {
  it('is unknown, not idle, where a figure is missing (case C17)', () => {
    expect(activity({ gpu: gpuAt(null, 30_211) })).toEqual({ kind: 'unknown', why: 'a GPU gives no figure' });
  });

  it('is unknown where nvidia-smi fails, and a state of its own where no GPU is left (case C18)', () => {
    const failed = unseen('nvidia-smi failed with exit code 18');
    expect(activity({ gpu: failed })).toEqual({
      kind: 'unknown',
      why: 'nvidia-smi failed with exit code 18',
    });
    expect(activity({ gpu: seen({ state: 'no-gpu' }) })).toEqual({ kind: 'no-gpu' });
  });

  it('is unknown where nvidia-smi tells of fewer GPUs than the provider bills (case C18)', () => {
    expect(activity({ gpu: gpuAt(0) }, { gpu: { type: 'NVIDIA H100', count: 2 } })).toEqual({
      kind: 'unknown',
      why: "nvidia-smi tells of 1 of the pod's 2 GPUs",
    });
  });

  it('is busy by a fresh heartbeat, whatever the GPU does, and idle with its memory told where none beats (case C20)', () => {
    const held = gpuAt(0, 61_440);
    expect(activity({ gpu: held, heartbeat: beat(minutes(2)) })).toEqual({
      kind: 'busy',
      by: 'heartbeat-fresh',
    });
    expect(activity({ gpu: held })).toEqual({ kind: 'idle', memoryMib: 61_440, samples: 1 });
    expect(activity({ gpu: gpuAt(0, 0) })).toMatchObject({ kind: 'idle', memoryMib: 0 });
  });
});
