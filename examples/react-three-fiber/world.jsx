/** @jsxRuntime automatic */
import { Sky, WorldView } from "@orthant/three";
import { useFrame, useThree } from "@react-three/fiber";
import { useEffect, useState } from "react";

/**
 * A world under its sky. It takes the properties of a `<group>`, such as `position`. `onPick` is called with what the player
 * presses on, and the view.
 */
export function World({ world, time = 0.4, viewDistance = 128, onPick, ...properties }) {
  const [shown, setShown] = useState();
  const { gl, camera, pointer } = useThree();

  useEffect(() => {
    const sky = new Sky({ time });
    const view = new WorldView(world, { sky });
    setShown({ sky, view });
    return () => {
      setShown(undefined);
      view.dispose();
      sky.dispose();
    };
  }, [world, time]);

  useEffect(() => {
    const pick = () => onPick?.(shown?.view.pick({ camera, point: pointer }, 100));
    gl.domElement.addEventListener("pointerdown", pick);
    return () => gl.domElement.removeEventListener("pointerdown", pick);
  }, [shown, gl, camera, pointer, onPick]);

  useFrame((_state, seconds) => {
    if (shown === undefined) return;
    const { sky, view } = shown;
    view.viewDistance = viewDistance;
    sky.update(camera, seconds);
    view.update(camera);
  });

  if (shown === undefined) return null;
  return (
    <group {...properties}>
      <primitive object={shown.sky} />
      <primitive object={shown.view} />
    </group>
  );
}
