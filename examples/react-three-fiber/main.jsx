/** @jsxRuntime automatic */
import { AIR, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { createWorld } from "@orthant/world";
import { Canvas, useFrame } from "@react-three/fiber";
import { StrictMode, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { World } from "./world.jsx";

const CAMERA = { position: [8, 38, 8], rotation: [-0.5, 0, 0], fov: 72, near: 0.05, far: 2_000 };

// Gone with the page. `connect` of `orthant/client` joins one that lasts, of a server or of a worker.
const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator: terrain({ seed: 7n }) });

function dig(target) {
  if (target !== undefined) void world.set(target.position, AIR);
}

/** Anything of three.js is in the same scene. */
function Crate() {
  const mesh = useRef();
  useFrame((_state, seconds) => {
    mesh.current.rotation.y += seconds;
  });
  return (
    <mesh ref={mesh} position={[5, 37, 3]}>
      <boxGeometry />
      <meshBasicMaterial color="#b08551" />
    </mesh>
  );
}

/** Says what the graphics card has. */
function Numbers({ say }) {
  useFrame(({ gl }) => {
    const { geometries, textures } = gl.info.memory;
    say.current.textContent = `${gl.info.render.triangles} triangles, ${geometries} geometries, ${textures} textures`;
  });
  return null;
}

function Page() {
  const [isShown, setShown] = useState(true);
  const numbers = useRef();
  return (
    <>
      <main>
        <Canvas camera={CAMERA}>
          <Crate />
          {isShown && <World world={world} viewDistance={96} onPick={dig} />}
          <Numbers say={numbers} />
        </Canvas>
      </main>
      <nav>
        <button type="button" onClick={() => setShown(!isShown)}>
          {isShown ? "Leave" : "Enter"}
        </button>
        <output ref={numbers} />
      </nav>
    </>
  );
}

createRoot(document.querySelector("#root")).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
